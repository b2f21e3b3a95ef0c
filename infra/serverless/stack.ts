import { DescribeStacksCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation'
import { connectToAws, explainAws, type Place } from './aws.ts'
import { serviceName } from './service-definition.ts'

/** The CloudFormation stack of a deployed stage. */
export interface Stack {
  /** Its ARN, by which it can be asked for even after its removal. */
  id: string
  name: string
  /** CloudFormation's word, such as `UPDATE_COMPLETE`. */
  status: string
  outputs: Record<string, string>
}

/** The name that the framework gives to the stack of a stage. */
export const stackNameOf = (stage: string) => `${serviceName}-${stage}`

/**
 * @returns undefined when the stage is not deployed
 * @throws Error of one sentence when AWS cannot be asked
 */
export async function findStack(place: Place, stage: string): Promise<Stack | undefined> {
  const { cloudFormation } = connectToAws(place)
  const name = stackNameOf(stage)
  const { Stacks: [stack] = [] } = await cloudFormation
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch((error: Error) => (isMissing(error) ? { Stacks: [] } : explainAws(place, 'CLOUDFORMATION')(error)))
  if (stack === undefined) return undefined
  const { StackId = name, StackStatus = '', Outputs = [] } = stack
  const outputs = Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
  return { id: StackId, name, status: StackStatus, outputs }
}

/** @returns the physical id of a resource of the stack; undefined when the stack has none of that logical id */
export async function findResource(
  place: Place,
  { name }: Stack,
  logicalId: string,
): Promise<string | undefined> {
  const { cloudFormation } = connectToAws(place)
  const pages = paginateListStackResources({ client: cloudFormation }, { StackName: name })
  const resources = await Array.fromAsync(pages, page => page.StackResourceSummaries ?? []).catch(
    explainAws(place, 'CLOUDFORMATION'),
  )
  const found = resources.flat().find(({ LogicalResourceId }) => LogicalResourceId === logicalId)
  return found?.ResourceStatus?.startsWith('DELETE_') ? undefined : found?.PhysicalResourceId
}

const isMissing = ({ name, message }: Error) => name === 'ValidationError' && /does not exist/.test(message)
