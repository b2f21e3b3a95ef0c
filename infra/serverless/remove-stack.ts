import {
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation'
import { DeleteObjectsCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'
import { connectToAws, explainAws, type Place } from './aws.ts'
import { findResource, type Stack } from './stack.ts'

/** The framework's logical id of the bucket with the packages. */
const bucketId = 'ServerlessDeploymentBucket'

/**
 * Empties the bucket with the packages, which CloudFormation can delete only when it is empty, then deletes the stack and
 * waits until it is deleted.
 *
 * @throws Error of one sentence with the reason of a failure
 */
export async function removeStack(place: Place, stack: Stack, maxWaitSeconds = 1800): Promise<void> {
  const { cloudFormation, s3 } = connectToAws(place)
  const explain = explainAws(place, 'CLOUDFORMATION')
  const bucket = await findResource(place, stack, bucketId)
  if (bucket !== undefined) await empty(s3, bucket).catch(explainAws(place, 'S3'))
  await cloudFormation.send(new DeleteStackCommand({ StackName: stack.name })).catch(explain)
  const waiter = { client: cloudFormation, maxWaitTime: maxWaitSeconds, minDelay: 1, maxDelay: 5 }
  await waitUntilStackDeleteComplete(waiter, { StackName: stack.id }).catch(async ({ name }: Error) => {
    const { Stacks: [left] = [] } = await cloudFormation
      .send(new DescribeStacksCommand({ StackName: stack.id }))
      .catch(explain)
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
