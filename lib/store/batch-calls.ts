import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { completeReply } from './broken-reply.ts'
import type { Clock } from '../time.ts'
import type { Item } from './items.ts'
import type { Key } from './keys.ts'
import { batchSender } from './retry.ts'
import { type BatchedUpdate, executeBatch } from './statements.ts'

/** The batches of one table, at the pace at which DynamoDB processes them. */
export function batchCalls(client: DynamoDBDocumentClient, tableName: string, clock: Clock) {
  const processed = { items: 0 }
  const sendReads = batchSender(clock, processed)

  /** Sends at most 25 updates of different items. @returns the items whose condition does not hold, missing ones included */
  function updater() {
    const sendUpdates = batchSender(clock, processed)
    return async (updates: BatchedUpdate[], signal: AbortSignal): Promise<Key[]> => {
      const refused: Key[] = []
      await sendUpdates(signal, updates, async left => {
        const outcomes = await executeBatch(client, tableName, left, signal)
        refused.push(...left.filter((_, n) => outcomes[n] === 'refused').map(({ key }) => key))
        return left.filter((_, n) => outcomes[n] === 'unprocessed')
      })
      return refused
    }
  }

  return {
    // Users are in many partitions and the memberships of a provider in one: they have different limits.
    updateUsers: updater(),
    updateMemberships: updater(),

    /** At most 100 different keys. @returns the existing items, in any order */
    async batchGet(keys: Key[], signal: AbortSignal): Promise<Item[]> {
      const items: Item[] = []
      await sendReads<Item>(signal, keys, async left => {
        const command = new BatchGetCommand({
          RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } },
        })
        const sent = client.send(command, { abortSignal: signal })
        const { Responses, UnprocessedKeys } = await completeReply(sent, 'Responses', 'UnprocessedKeys')
        items.push(...(Responses[tableName] ?? []))
        return UnprocessedKeys[tableName]?.Keys ?? []
      })
      return items
    },
  }
}
