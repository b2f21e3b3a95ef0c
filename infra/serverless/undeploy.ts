import {
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation'
import { DeleteLogGroupCommand, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs'
import {
  DeleteObjectsCommand,
  HeadBucketCommand,
  ListObjectVersionsCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { Aws } from './aws.ts'
import { tableId } from '../resources/cloudwatch.ts'
import { checkRemovable } from './deployment-rules.ts'
import { serviceName } from './service-definition.ts'
import { bucketId, getStack, hasTable, packagesOf, resourcesOf, type Stack } from './stack.ts'

interface Dialogue {
  /** Gets each line: what is removed, what stays, and how to delete that. */
  log: (line: string) => void
  /** Asks for a confirmation. @returns the stage's name if the person agrees */
  ask: (question: string) => Promise<string>
  /** Whether logs that the stack keeps are deleted, too. */
  deleteLogs?: boolean | undefined
}

/**
 * Removes a deployed stage, except its table, and its logs if they are kept for a year or longer. When the stack is being
 * deleted or was deleted, as after a removal that was interrupted, it does the rest.
 *
 * @throws Error of one sentence
 */
export async function undeploy(aws: Aws, stage: string, { log, ask, deleteLogs = false }: Dialogue) {
  const stack = await getStack(aws, stage, { orDeleted: true })
  const { region } = aws.place
  checkRemovable(stage, stack, region)
  const what = `the stack ${stack.name} in ${region}`
  if ((await ask(`Remove ${what}? Type the name of the stage to confirm: `)) !== stage)
    throw new Error(`Nothing is removed: that is not the name of the stage, ${stage}.`)
  const resources = await resourcesOf(aws, stack)
  if (stack.status !== 'DELETE_COMPLETE') {
    log(`Removing ${what} …`)
    await removeStack(aws, stack, resources.get(bucketId))
  }

  const table = resources.get(tableId)
  const hasTableLeft = table !== undefined && (await hasTable(aws, table))
  const rest = hasTableLeft ? `Its table ${table} stays with its data.` : 'It has no table.'
  log(`Stage ${stage} is removed. ${rest}`)
  const commands: string[] = []
  if (hasTableLeft) {
    log('To deploy the stage with that table again, add --adopt-table to npm run deploy.')
    for (const action of ['update-table --no-deletion-protection-enabled', 'delete-table'])
      commands.push(`aws dynamodb ${action} --region ${region} --table-name ${table}`)
  }
  for (const [id, logGroupName] of resources) {
    if (!id.endsWith('LogGroup') || !(await hasLogGroup(aws, logGroupName))) continue
    if (deleteLogs) {
      await aws.logs.send(new DeleteLogGroupCommand({ logGroupName }))
      continue
    }
    log(`The logs ${logGroupName} stay.`)
    commands.push(`aws logs delete-log-group --region ${region} --log-group-name ${logGroupName}`)
  }
  const bucket = packagesOf(stack)
  if (bucket !== undefined && (await hasBucket(aws, bucket))) {
    const packages = `s3://${bucket}/serverless/${serviceName}/${stage}/`
    log(`The packages in ${packages} stay.`)
    commands.push(`aws s3 rm --region ${region} --recursive ${packages}`)
  }
  if (commands.length > 0) log(['To delete what stays:', '', ...commands].join('\n'))
}

async function hasLogGroup({ logs }: Aws, name: string): Promise<boolean> {
  const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }))
  return logGroups.some(({ logGroupName }) => logGroupName === name)
}

/** The stack's own bucket is gone by then; a company's bucket may be one that this caller may not read. */
const hasBucket = ({ s3 }: Aws, Bucket: string) =>
  s3.send(new HeadBucketCommand({ Bucket })).then(
    () => true,
    ({ name }: Error) => name !== 'NotFound',
  )

/**
 * Empties the bucket with the packages, which CloudFormation can delete only when it is empty, then deletes the stack and
 * waits until it is deleted. It only waits when the stack is being deleted already.
 *
 * @internal
 * @param bucket undefined when the stack has none
 * @throws Error of one sentence with the reason of a failure
 */
export async function removeStack(
  { cloudFormation, s3 }: Aws,
  stack: Stack,
  bucket: string | undefined,
  maxWaitSeconds = 1800,
): Promise<void> {
  if (stack.status !== 'DELETE_IN_PROGRESS') {
    if (bucket !== undefined) await empty(s3, bucket)
    await cloudFormation.send(new DeleteStackCommand({ StackName: stack.name }))
  }
  const waiter = { client: cloudFormation, maxWaitTime: maxWaitSeconds, minDelay: 1, maxDelay: 5 }
  await waitUntilStackDeleteComplete(waiter, { StackName: stack.id }).catch(async ({ name }: Error) => {
    const { Stacks: [left] = [] } = await cloudFormation.send(
      new DescribeStacksCommand({ StackName: stack.id }),
    )
    const reason =
      name === 'TimeoutError'
        ? `AWS has not finished within ${maxWaitSeconds} s; run the command again to wait longer.`
        : (left?.StackStatusReason ?? 'AWS gives no reason')
    throw new Error(`The stack ${stack.name} is not removed (${left?.StackStatus}): ${reason}`)
  })
}

/** Deletes all objects of a bucket, and all their versions if it keeps versions. */
async function empty(client: S3Client, Bucket: string): Promise<void> {
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }))
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }))
    if (Objects.length === 0) return
    const { Errors: [error] = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
    )
    if (error !== undefined) throw new Error(`The bucket ${Bucket} cannot be emptied: ${error.Message}`)
  }
}
