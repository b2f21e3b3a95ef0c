import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { forEachConcurrently } from '../../../lib/concurrency.ts'
import type { User } from '../../../lib/domain/resources.ts'
import { completeReply } from '../../../lib/store/broken-reply.ts'
import type { Item } from '../../../lib/store/items.ts'
import { sendBatch } from '../../../lib/store/retry.ts'
import type { Data } from '../open-data.ts'
import { withProgress } from '../output.ts'
import { membershipItem, userItem } from '../table/items.ts'
import { ownersAmong } from '../table/owners.ts'
import type { Contents } from './check-files.ts'
import type { Run } from './marker.ts'
import { type Line, readFiles } from './read-files.ts'

const batchSize = 25
const batchesAtOnce = 16

/**
 * Puts all users of files and their memberships, whatever is there.
 *
 * @param contents what the files had when they were checked
 * @throws Error of one sentence when the files have changed, or when another import goes on with them
 */
export async function putUsers(
  data: Data,
  files: readonly string[],
  { providers, users, digest }: Contents,
  run: Run,
  signal: AbortSignal,
): Promise<void> {
  const ownersOf = ownersAmong(providers.map(resource => ({ resource })))
  const itemsOf = (user: User): Item[] => {
    const ids = ownersOf(user).flatMap(({ owners }) => owners.map(({ resource }) => resource.id))
    return [userItem(user), ...[...new Set(ids)].map(id => membershipItem(id, user.id))]
  }
  const read = readFiles(files, signal)
  const put = putter(data, run, signal)
  await withProgress('users written', users, advance =>
    forEachConcurrently(batches(read.lines, itemsOf), batchesAtOnce, async items => {
      await put(items)
      advance(items.filter(({ SK }) => SK === 'USER').length)
    }),
  )
  if (read.digest() !== digest)
    throw new Error(
      'The files have changed while they were read: run the import again with those as they were.',
    )
}

/** The items of all users, 25 at a time. */
async function* batches(lines: AsyncIterable<Line>, itemsOf: (user: User) => Item[]) {
  const items: Item[] = []
  for await (const line of lines) {
    if (line.kind === 'user') items.push(...itemsOf(line.resource))
    while (items.length >= batchSize) yield items.splice(0, batchSize)
  }
  if (items.length > 0) yield items
}

/** Returns a function that puts at most 25 items while the run goes on, and those that DynamoDB leaves out again and again. */
function putter({ client, clock, tableName }: Data, run: Run, signal: AbortSignal) {
  return (items: Item[]) =>
    sendBatch(clock, signal, items, async left => {
      await run.look()
      const requests = left.map(Item => ({ PutRequest: { Item } }))
      const command = new BatchWriteCommand({ RequestItems: { [tableName]: requests } })
      const sent = client.send(command, { abortSignal: signal })
      const { UnprocessedItems } = await completeReply(sent, 'UnprocessedItems')
      return (UnprocessedItems[tableName] ?? []).flatMap(({ PutRequest }) => PutRequest?.Item ?? [])
    })
}
