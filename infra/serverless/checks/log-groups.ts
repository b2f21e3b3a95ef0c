import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs'
import type { AwsConfig, RunningStack, StackContent } from './stack.ts'

/**
 * Checks that the log groups which a deployment creates do not exist: CloudFormation would fail.
 *
 * @throws Error of one sentence; or an error of the SDK, when AWS cannot be asked
 */
export async function checkLogGroups(
  config: AwsConfig,
  stage: string,
  wanted: StackContent,
  running: RunningStack | undefined,
): Promise<void> {
  const client = new CloudWatchLogsClient(config)
  const created = wanted.logGroups.filter(name => running?.logGroups.includes(name) !== true)
  const kept: string[] = []
  for (const name of created) if (await exists(client, name)) kept.push(name)
  if (kept.length === 0) return
  const remedy = 'export what is evidence and delete them, as "Undeploy" in infra/operations.md says'
  throw new Error(
    running === undefined
      ? `The logs of an earlier stage ${stage} exist (${kept.join(', ')}): deploy a stage of another name, with createTable: false and tableName: ${wanted.table?.name} if it is to have the same table; or ${remedy}.`
      : `The log groups ${kept.join(', ')} exist, and are not of the stack of stage ${stage}: ${remedy}.`,
  )
}

async function exists(client: CloudWatchLogsClient, name: string): Promise<boolean> {
  // Sorted by name, so that the group itself comes first.
  const { logGroups = [] } = await client.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }))
  return logGroups.some(({ logGroupName }) => logGroupName === name)
}
