import {
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation'
import { DeleteObjectsCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'
import type { Aws } from './aws.ts'
import { bucketOf, getStack, hasTable, type Stack, tableOf } from './stack.ts'

/**
 * Removes a deployed stage, except its table.
 *
 * @param log gets each line: what is removed, what stays, and how to delete that
 * @throws Error of one sentence
 */
export async function undeploy(aws: Aws, stage: string, log: (line: string) => void) {
  const { place } = aws
  const stack = await getStack(aws, stage)
  log(`Removing the stack ${stack.name} in ${place.region} …`)
  const tableName = await tableOf(aws, stack)
  await removeStack(aws, stack)
  if (tableName === undefined || !(await hasTable(aws, tableName)))
    return log(`Stage ${stage} is removed, and it has no table left.`)
  const table = `--region ${place.region} --table-name ${tableName}`
  log(`Stage ${stage} is removed. Its table ${tableName} stays with its data.`)
  log('Before you deploy the stage with that table name again, import the table or delete it:')
  log('')
  log(`aws dynamodb update-table ${table} --no-deletion-protection-enabled`)
  log(`aws dynamodb delete-table ${table}`)
}

/**
 * Empties the bucket with the packages, which CloudFormation can delete only when it is empty, then deletes the stack and
 * waits until it is deleted.
 *
 * @internal
 * @throws Error of one sentence with the reason of a failure
 */
export async function removeStack(aws: Aws, stack: Stack, maxWaitSeconds = 1800): Promise<void> {
  const { cloudFormation, s3 } = aws
  const bucket = await bucketOf(aws, stack)
  if (bucket !== undefined) await empty(s3, bucket)
  await cloudFormation.send(new DeleteStackCommand({ StackName: stack.name }))
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

async function empty(client: S3Client, bucket: string): Promise<void> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket })) {
    if (Contents.length === 0) continue
    const Objects = Contents.map(({ Key }) => ({ Key }))
    const { Errors: [error] = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    )
    if (error !== undefined) throw new Error(`The bucket ${bucket} cannot be emptied: ${error.Message}`)
  }
}
