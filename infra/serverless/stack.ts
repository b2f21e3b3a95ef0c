import {
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  paginateListStacks,
} from '@aws-sdk/client-cloudformation'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { Aws } from './aws.ts'
import { serviceName } from './service-definition.ts'
import type { Template } from './template.ts'

/** The CloudFormation stack of a deployed stage. */
export interface Stack {
  /** The ARN, with which a deleted stack can still be described. */
  id: string
  name: string
  /** CloudFormation's status, such as `UPDATE_COMPLETE`. */
  status: string
  /** Whether termination protection is on. */
  isProtected: boolean
  outputs: Record<string, string>
}

/** The framework's name of the stack of a stage. */
const stackNameOf = (stage: string) => `${serviceName}-${stage}`

/**
 * @returns undefined when the stage is not deployed
 * @throws Error of one sentence when AWS cannot be reached
 */
export const findStack = (aws: Aws, stage: string) => describe(aws, stackNameOf(stage))

/** @param id the ARN or, unless the stack is deleted, the name */
async function describe({ cloudFormation }: Aws, id: string): Promise<Stack | undefined> {
  const { Stacks: [stack] = [] } = await cloudFormation
    .send(new DescribeStacksCommand({ StackName: id }))
    .catch((error: Error) => {
      if (error.name === 'ValidationError' && /does not exist/.test(error.message)) return { Stacks: [] }
      throw error
    })
  if (stack === undefined) return undefined
  const { StackId = id, StackName: name = id, StackStatus: status = '', Outputs = [] } = stack
  const outputs = Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
  return { id: StackId, name, status, isProtected: stack.EnableTerminationProtection === true, outputs }
}

/**
 * @param orDeleted whether the stack may be the one that was deleted last; AWS remembers it for 90 days
 * @throws Error of one sentence when the stage is not deployed, or AWS cannot be reached
 */
export async function getStack(aws: Aws, stage: string, { orDeleted = false } = {}): Promise<Stack> {
  const stack = (await findStack(aws, stage)) ?? (orDeleted ? await findDeletedStack(aws, stage) : undefined)
  if (stack !== undefined) return stack
  throw new Error(
    `Stage ${stage} is not deployed in ${aws.place.region} (there is no stack ${stackNameOf(stage)}): check --stage, --region and the account.`,
  )
}

async function findDeletedStack(aws: Aws, stage: string): Promise<Stack | undefined> {
  const pages = paginateListStacks({ client: aws.cloudFormation }, { StackStatusFilter: ['DELETE_COMPLETE'] })
  const all = (await Array.fromAsync(pages, page => page.StackSummaries ?? [])).flat()
  const [last] = all
    .filter(({ StackName }) => StackName === stackNameOf(stage))
    .sort((one, other) => Number(other.DeletionTime) - Number(one.DeletionTime))
  return last?.StackId === undefined ? undefined : describe(aws, last.StackId)
}

/** The template with which the stack was deployed. */
export async function getTemplate({ cloudFormation }: Aws, { name }: Stack): Promise<Template> {
  const { TemplateBody = '' } = await cloudFormation.send(new GetTemplateCommand({ StackName: name }))
  return JSON.parse(TemplateBody)
}

/** @returns the physical ids of the stack's resources, with those that it left behind, by logical id */
export async function resourcesOf({ cloudFormation: client }: Aws, { id }: Stack) {
  const pages = paginateListStackResources({ client }, { StackName: id })
  const all = (await Array.fromAsync(pages, page => page.StackResourceSummaries ?? [])).flat()
  return new Map(
    all.flatMap(({ LogicalResourceId = '', PhysicalResourceId, ResourceStatus }): [string, string][] =>
      PhysicalResourceId === undefined || ResourceStatus === 'DELETE_COMPLETE'
        ? []
        : [[LogicalResourceId, PhysicalResourceId]],
    ),
  )
}

/** The logical id of the bucket with the packages, unless the stage's file names another bucket. */
export const bucketId = 'ServerlessDeploymentBucket'

/** The name of the bucket with the stack's packages; undefined after a failed first deployment. */
export const packagesOf = ({ outputs }: Stack): string | undefined => outputs[`${bucketId}Name`]

/** @returns whether the account has a table of this name in this region */
export async function hasTable({ dynamodb }: Aws, tableName: string): Promise<boolean> {
  try {
    await dynamodb.send(new DescribeTableCommand({ TableName: tableName }))
    return true
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return false
    throw error
  }
}
