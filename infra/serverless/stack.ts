import {
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
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
  outputs: Record<string, string>
}

/** The framework's name of the stack of a stage. */
const stackNameOf = (stage: string) => `${serviceName}-${stage}`

/**
 * @returns undefined when the stage is not deployed
 * @throws Error of one sentence when AWS cannot be reached
 */
export async function findStack({ cloudFormation }: Aws, stage: string): Promise<Stack | undefined> {
  const name = stackNameOf(stage)
  const { Stacks: [stack] = [] } = await cloudFormation
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch((error: Error) => {
      if (error.name === 'ValidationError' && /does not exist/.test(error.message)) return { Stacks: [] }
      throw error
    })
  if (stack === undefined) return undefined
  const { StackId = name, StackStatus = '', Outputs = [] } = stack
  const outputs = Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
  return { id: StackId, name, status: StackStatus, outputs }
}

/** @throws Error of one sentence when the stage is not deployed, or AWS cannot be reached */
export async function getStack(aws: Aws, stage: string): Promise<Stack> {
  const stack = await findStack(aws, stage)
  if (stack !== undefined) return stack
  throw new Error(
    `Stage ${stage} is not deployed in ${aws.place.region} (there is no stack ${stackNameOf(stage)}): check --stage, --region and the account.`,
  )
}

/** The template with which the stack was deployed. */
export async function getTemplate({ cloudFormation }: Aws, { name }: Stack): Promise<Template> {
  const { TemplateBody = '' } = await cloudFormation.send(new GetTemplateCommand({ StackName: name }))
  return JSON.parse(TemplateBody)
}

/** @returns the physical ids of the stack's resources, with those that it left behind, by logical id */
export async function resourcesOf({ cloudFormation: client }: Aws, { name }: Stack) {
  const pages = paginateListStackResources({ client }, { StackName: name })
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
