import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation'
import type { Template } from '../template.ts'

/** Of the clients that look at the account. */
export type AwsConfig = Pick<CloudFormationClientConfig, 'region' | 'credentials' | 'requestHandler'>

/** A stage's table. */
export interface StageTable {
  name: string
  /** Whether the stack creates it. */
  isCreated: boolean
}

/** What a stack has, or will have by its template, that outlives it or its next deployment. */
export interface StackContent {
  /** Undefined in a stack with nothing but its bucket. */
  table: StageTable | undefined
  logGroups: string[]
  /** Whether the bucket of the packages is of the stack. */
  hasBucket: boolean
}

export interface RunningStack extends StackContent {
  /** Such as `UPDATE_COMPLETE`. */
  status: string
  /** The bucket of the packages, once they are there. */
  bucket: string | undefined
}

/** The content of a stack by its template. */
export function contentOf({ Resources, Outputs }: Template): StackContent {
  const { ProviderTable, ServerlessDeploymentBucket } = Resources
  const groups = Object.values(Resources).filter(({ Type }) => Type === 'AWS::Logs::LogGroup')
  return {
    table: tableOf(ProviderTable?.Properties.TableName, Outputs?.TableName?.Value),
    logGroups: groups.map(({ Properties }) => Properties.LogGroupName),
    hasBucket: ServerlessDeploymentBucket !== undefined,
  }
}

const tableOf = (created?: string, used?: string): StageTable | undefined => {
  if (created !== undefined) return { name: created, isCreated: true }
  return used === undefined ? undefined : { name: used, isCreated: false }
}

/**
 * Reads what a stack has, from its resources: after a failed deployment its template may name others.
 *
 * @returns undefined when there is no such stack
 */
export async function readStack(config: AwsConfig, StackName: string): Promise<RunningStack | undefined> {
  const client = new CloudFormationClient(config)
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }))
    const outputs = new Map(stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
    const resources: StackResourceSummary[] = []
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      resources.push(...StackResourceSummaries.filter(isThere))
    const idOf = (logicalId: string) =>
      resources.find(resource => resource.LogicalResourceId === logicalId)?.PhysicalResourceId
    const groups = resources.filter(({ ResourceType }) => ResourceType === 'AWS::Logs::LogGroup')
    return {
      status: `${stack?.StackStatus}`,
      table: tableOf(idOf('ProviderTable'), outputs.get('TableName')),
      logGroups: groups.map(({ PhysicalResourceId }) => `${PhysicalResourceId}`),
      hasBucket: idOf('ServerlessDeploymentBucket') !== undefined,
      bucket: outputs.get('ServerlessDeploymentBucketName'),
    }
  } catch (error) {
    if (/does not exist/.test((error as Error).message)) return undefined
    throw error
  }
}

/** Not one that is kept, was deleted, or could not be created. */
const isThere = ({ ResourceStatus }: StackResourceSummary) =>
  !/^(CREATE_FAILED|DELETE_COMPLETE|DELETE_SKIPPED)$/.test(`${ResourceStatus}`)
