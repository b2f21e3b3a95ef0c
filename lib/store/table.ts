import {
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../time.ts'
import type { Item } from './items.ts'
import type { Key } from './keys.ts'
import { untilAnswered, untilProcessed } from './retry.ts'

/** The table's calls: every read strongly consistent, every call ended by its signal, with the signal's reason. */
export interface Table {
  get(key: Key, signal: AbortSignal): Promise<Item | undefined>
  /** Every item of a partition, by sort key ascending. */
  query(partition: string, signal: AbortSignal): Promise<Item[]>
  /** @returns the item after the update, or undefined when the condition does not hold */
  update(key: Key, change: Change, signal: AbortSignal): Promise<Item | undefined>
  /** @returns whether the condition held */
  change(key: Key, change: Change, signal: AbortSignal): Promise<boolean>
  /** At most 100 keys, none twice. @returns the items that exist, in any order */
  batchGet(keys: Key[], signal: AbortSignal): Promise<Item[]>
  /** At most 25 items. */
  batchPut(items: Item[], signal: AbortSignal): Promise<void>
}

export type Change = Pick<
  UpdateCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>

export function openTable(client: DynamoDBDocumentClient, tableName: string, clock: Clock): Table {
  const answered = <T>(signal: AbortSignal, call: () => Promise<T>) => untilAnswered(clock, signal, call)
  const until = (signal: AbortSignal) => ({ abortSignal: signal })

  /** @returns undefined when the condition does not hold */
  const write = async (key: Key, change: Partial<UpdateCommandInput>, signal: AbortSignal) => {
    const command = new UpdateCommand({ TableName: tableName, Key: key, ...change })
    try {
      return await answered(signal, () => client.send(command, until(signal)))
    } catch (error) {
      if ((error as Error).name === 'ConditionalCheckFailedException') return undefined
      throw error
    }
  }

  return {
    async get(key, signal) {
      const input = { TableName: tableName, Key: key, ConsistentRead: true }
      return (await answered(signal, () => client.send(new GetCommand(input), until(signal)))).Item
    },

    async query(partition, signal) {
      const items: Item[] = []
      let from: Item | undefined
      do {
        const command = new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'PK = :partition',
          ExpressionAttributeValues: { ':partition': partition },
          ConsistentRead: true,
          ExclusiveStartKey: from,
        })
        const page = await answered(signal, () => client.send(command, until(signal)))
        for (const item of page.Items ?? []) items.push(item)
        from = page.LastEvaluatedKey
      } while (from !== undefined)
      return items
    },

    async update(key, change, signal) {
      return (await write(key, { ...change, ReturnValues: 'ALL_NEW' }, signal))?.Attributes
    },

    async change(key, change, signal) {
      return (await write(key, change, signal)) !== undefined
    },

    async batchGet(keys, signal) {
      const items: Item[] = []
      await untilProcessed(clock, signal, keys, async left => {
        const command = new BatchGetCommand({
          RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } },
        })
        const { Responses, UnprocessedKeys } = await client.send(command, until(signal))
        for (const item of Responses?.[tableName] ?? []) items.push(item)
        return (UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[]
      })
      return items
    },

    async batchPut(items, signal) {
      await untilProcessed(clock, signal, items, async left => {
        const requests = left.map(Item => ({ PutRequest: { Item } }))
        const command = new BatchWriteCommand({ RequestItems: { [tableName]: requests } })
        const { UnprocessedItems } = await client.send(command, until(signal))
        return (UnprocessedItems?.[tableName] ?? []).flatMap(({ PutRequest }) => PutRequest?.Item ?? [])
      })
    },
  }
}
