import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../time.ts'
import { completeReply } from './broken-reply.ts'
import type { Item } from './items.ts'
import type { Collection, Key } from './keys.ts'
import { withRetry } from './retry.ts'
import { transactor } from './transact.ts'

/** The calls of one table. */
export type Table = ReturnType<typeof openTable>

/** A conditional update of one item. */
export type Change = Pick<
  UpdateCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>

/** Converts an item; undefined for one that breaks the rules of the table. */
type Read<T> = (item: Item) => T | undefined

/** The number of items of a partition that break the rules of the table. */
export interface Broken {
  partition: string
  items: number
}

/**
 * The calls of one table. Every read is strongly consistent; the signal aborts a call, which then throws its reason.
 *
 * @param onBroken gets the number of items that break the rules of the table and were left out
 */
export function openTable(
  client: DynamoDBDocumentClient,
  tableName: string,
  clock: Clock,
  onBroken: (items: Broken) => void = () => {},
) {
  return {
    clock,
    onBroken,
    transact: transactor(client, tableName, clock),
    async get(key: Key, signal: AbortSignal): Promise<Item | undefined> {
      const command = new GetCommand({
        TableName: tableName,
        Key: key,
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
      })
      const reply = await withRetry(clock, signal, () =>
        completeReply(client.send(command, { abortSignal: signal }), 'ConsumedCapacity'),
      )
      return reply.Item
    },

    /**
     * The existing items of at most 100 different keys, in any order.
     *
     * @throws Failure `table_busy` after 8 attempts in a row that read nothing; what `withRetry` throws
     */
    async batchGet(keys: Key[], signal: AbortSignal): Promise<Item[]> {
      const items: Item[] = []
      let left = keys
      const read = async () => {
        const RequestItems = { [tableName]: { Keys: left, ConsistentRead: true } }
        const sent = client.send(new BatchGetCommand({ RequestItems }), { abortSignal: signal })
        const { Responses, UnprocessedKeys } = await completeReply(sent, 'Responses', 'UnprocessedKeys')
        const unprocessed = UnprocessedKeys[tableName]?.Keys ?? []
        if (unprocessed.length === left.length) throw nothingProcessed(left.length)
        items.push(...(Responses[tableName] ?? []))
        left = unprocessed as Key[]
      }
      while (left.length > 0) await withRetry(clock, signal, read)
      return items
    },

    pages,

    /** All items of a collection, as `pages` reads them. */
    async query<T>(of: Collection, read: Read<T>, signal: AbortSignal): Promise<T[]> {
      return (await Array.fromAsync(pages(of, read, signal))).flat()
    },

    /** @returns the item after the update, or undefined when the condition does not hold */
    async update(key: Key, change: Change, signal: AbortSignal): Promise<Item | undefined> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: key,
        ...change,
        ReturnValues: 'ALL_NEW',
      })
      try {
        const reply = await withRetry(clock, signal, () =>
          completeReply(client.send(command, { abortSignal: signal }), 'Attributes'),
        )
        return reply.Attributes
      } catch (error) {
        if ((error as Error).name === 'ConditionalCheckFailedException') return undefined
        throw error
      }
    },
  }

  /**
   * The items of a collection in pages, by sort key ascending, converted by `read`; items for which it is undefined are left
   * out.
   */
  async function* pages<T>({ PK, prefix }: Collection, read: Read<T>, signal: AbortSignal) {
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
      const { Items, LastEvaluatedKey } = await withRetry(clock, signal, () =>
        completeReply(client.send(command, { abortSignal: signal }), 'Items'),
      )
      const items = Items.map(read).filter(row => row !== undefined)
      leftOut += Items.length - items.length
      from = LastEvaluatedKey
      yield items
    } while (from !== undefined)
    if (leftOut > 0) onBroken({ partition: PK, items: leftOut })
  }
}

/** The error with which DynamoDB refuses a batch of which it processes nothing. */
const nothingProcessed = (keys: number) =>
  Object.assign(new Error(`${keys} keys unprocessed`), { name: 'ProvisionedThroughputExceededException' })
