import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../time.ts'
import { BrokenReply, having } from './broken-reply.ts'
import type { Item } from './items.ts'
import type { Collection, Key } from './keys.ts'
import { batchSender, withRetry } from './retry.ts'
import { type BatchedUpdate, executeBatch, type Outcome, statementOf } from './statements.ts'

/** The calls of the table. Every read is strongly consistent; the signal aborts a call, which then throws its reason. */
export interface Table {
  /** Receives the number of items that break the rules of the table; `query` reports those that it leaves out. */
  onBroken(items: Broken): void
  get(key: Key, signal: AbortSignal): Promise<Item | undefined>
  /** All items of a collection, by sort key ascending, converted by `read`; items for which it is undefined are left out. */
  query<T>(items: Collection, read: (item: Item) => T | undefined, signal: AbortSignal): Promise<T[]>
  /** @returns the item after the update, or undefined when the condition does not hold */
  update(key: Key, change: Change, signal: AbortSignal): Promise<Item | undefined>
  /** At most 25 different items. @returns the updates that were not made; the condition never holds for a missing item */
  batchUpdate(updates: BatchedUpdate[], signal: AbortSignal): Promise<Refused[]>
  /** At most 100 different keys. @returns the existing items, in any order */
  batchGet(keys: Key[], signal: AbortSignal): Promise<Item[]>
  /** At most 25 items. */
  batchPut(items: Item[], signal: AbortSignal): Promise<void>
}

/** A conditional update of one item. */
export type Change = Pick<
  UpdateCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>

/** An update that was not made. */
interface Refused {
  key: Key
  /** The item whose condition did not hold; undefined when there is none, or the engine does not return it. */
  item: Item | undefined
  /** The item would exceed DynamoDB's 400 KB. */
  isTooLarge: boolean
}

/** The number of items of a partition that break the rules of the table. */
export interface Broken {
  partition: string
  items: number
}

/** The calls of one table. @param onBroken gets the number of items that break the rules of the table */
export function openTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  clock: Clock,
  onBroken: (items: Broken) => void = () => {},
): Table {
  const answered = <T>(signal: AbortSignal, call: () => Promise<T>) => withRetry(clock, signal, call)
  const progress = { items: 0 }
  // Unlinking, reading and marking have different limits.
  const sendUpdates = batchSender(clock, 'writes', progress)
  const sendReads = batchSender(clock, 'reads', progress)
  const sendPuts = batchSender(clock, 'writes', progress)
  const until = (signal: AbortSignal) => ({ abortSignal: signal })

  return {
    onBroken,

    async get(key, signal) {
      const command = new GetCommand({
        TableName: tableName,
        Key: key,
        ConsistentRead: true,
        // Otherwise `{}` would be a valid reply, for an item that does not exist.
        ReturnConsumedCapacity: 'TOTAL',
      })
      return answered(signal, async () => {
        const { Item } = having(await client.send(command, until(signal)), 'ConsumedCapacity')
        return Item && at(key, Item)
      })
    },

    async query({ PK, prefix }, read, signal) {
      const found = []
      let leftOut = 0
      let from: Item | undefined
      do {
        const command = new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'PK = :partition AND begins_with(SK, :prefix)',
          ExpressionAttributeValues: { ':partition': PK, ':prefix': prefix },
          ConsistentRead: true,
          ExclusiveStartKey: from,
        })
        const page = await answered(signal, async () => {
          const output = having(await client.send(command, until(signal)), 'Items', 'Count')
          if (output.Items.length !== output.Count) throw new BrokenReply('has a wrong count of items')
          for (const item of output.Items) if (item.PK !== PK) throw aboutAnother()
          return output
        })
        for (const item of page.Items) {
          const one = read(item)
          if (one === undefined) leftOut += 1
          else found.push(one)
        }
        from = page.LastEvaluatedKey
      } while (from !== undefined)
      if (leftOut > 0) onBroken({ partition: PK, items: leftOut })
      return found
    },

    async update(key, change, signal) {
      // ALL_NEW: otherwise `{}` would be a valid reply.
      const command = new UpdateCommand({
        TableName: tableName,
        Key: key,
        ...change,
        ReturnValues: 'ALL_NEW',
      })
      try {
        return await answered(signal, async () =>
          at(key, having(await client.send(command, until(signal)), 'Attributes').Attributes),
        )
      } catch (error) {
        if ((error as Error).name === 'ConditionalCheckFailedException') return undefined
        throw error
      }
    },

    async batchUpdate(updates, signal) {
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

    async batchGet(keys, signal) {
      const items: Item[] = []
      await sendReads<Item>(signal, keys, async left => {
        const command = new BatchGetCommand({
          RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } },
        })
        const output = await client.send(command, until(signal))
        const { Responses, UnprocessedKeys } = having(output, 'Responses', 'UnprocessedKeys')
        const found = Responses[tableName] ?? []
        for (const item of found) if (!left.some(key => isAt(key, item))) throw aboutAnother()
        items.push(...found)
        return UnprocessedKeys[tableName]?.Keys ?? []
      })
      return items
    },

    async batchPut(items, signal) {
      const puts = items.map(Item => ({ PutRequest: { Item } }))
      await sendPuts<Write>(signal, puts, async left => {
        const command = new BatchWriteCommand({ RequestItems: { [tableName]: left } })
        const { UnprocessedItems } = having(await client.send(command, until(signal)), 'UnprocessedItems')
        return UnprocessedItems[tableName] ?? []
      })
    },
  }
}

type Write = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

/** Checks that an item has the requested key. */
function at(key: Item, item: Item): Item {
  if (!isAt(key, item)) throw aboutAnother()
  return item
}

const isAt = (key: Item, item: Item) => item.PK === key.PK && item.SK === key.SK
const aboutAnother = () => new BrokenReply('is about another item')
