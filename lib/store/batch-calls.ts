import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb'
import { aboutAnother, at, having } from './broken-reply.ts'
import type { Clock } from '../time.ts'
import type { Item } from './items.ts'
import type { Key } from './keys.ts'
import { batchSender } from './retry.ts'
import { type BatchedUpdate, executeBatch, type Outcome, statementOf } from './statements.ts'

/** An update that was not made. */
export interface Refused {
  key: Key
  /** The item whose condition did not hold; undefined when there is none, or the engine does not return it. */
  item: Item | undefined
  /** The item would exceed DynamoDB's 400 KB. */
  isTooLarge: boolean
}

type Write = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

/** The batches of one table, at the pace at which DynamoDB processes them. */
export function batchCalls(client: DynamoDBDocumentClient, tableName: string, clock: Clock) {
  const progress = { items: 0 }
  // Unlinking, reading and marking have different limits.
  const sendUpdates = batchSender(clock, 'writes', progress)
  const sendReads = batchSender(clock, 'reads', progress)
  const sendPuts = batchSender(clock, 'writes', progress)

  return {
    /** At most 25 different items. @returns the updates that were not made; the condition never holds for a missing item */
    async batchUpdate(updates: BatchedUpdate[], signal: AbortSignal): Promise<Refused[]> {
      const refused: Refused[] = []
      await sendUpdates(signal, updates, async left => {
        const statements = left.map(update => statementOf(tableName, update))
        const outcomes = await executeBatch(client, statements, signal)
        return left.filter(({ key }, index) => {
          const { is, item } = outcomes[index] as Outcome
          const isTooLarge = is === 'tooLarge'
          if (is === 'refused' || isTooLarge) refused.push({ key, item: item && at(key, item), isTooLarge })
          return is === 'unprocessed'
        })
      })
      return refused
    },

    /** At most 100 different keys. @returns the existing items, in any order */
    async batchGet(keys: Key[], signal: AbortSignal): Promise<Item[]> {
      const items: Item[] = []
      await sendReads<Item>(signal, keys, async left => {
        const command = new BatchGetCommand({
          RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } },
        })
        const output = await client.send(command, { abortSignal: signal })
        const { Responses, UnprocessedKeys } = having(output, 'Responses', 'UnprocessedKeys')
        const found = Responses[tableName] ?? []
        const asked = new Set(left.map(keyText))
        if (!found.every(item => asked.has(keyText(item)))) throw aboutAnother()
        items.push(...found)
        return UnprocessedKeys[tableName]?.Keys ?? []
      })
      return items
    },

    /** At most 25 items. */
    async batchPut(items: Item[], signal: AbortSignal): Promise<void> {
      const puts = items.map(Item => ({ PutRequest: { Item } }))
      await sendPuts<Write>(signal, puts, async left => {
        const command = new BatchWriteCommand({ RequestItems: { [tableName]: left } })
        const { UnprocessedItems } = having(
          await client.send(command, { abortSignal: signal }),
          'UnprocessedItems',
        )
        return UnprocessedItems[tableName] ?? []
      })
    },
  }
}

/** A key as one text: comparing each item with each key took 2 % of a removal. */
const keyText = ({ PK, SK }: Item) => JSON.stringify([PK, SK])
