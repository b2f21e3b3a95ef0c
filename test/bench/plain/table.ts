import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  paginateQuery,
} from '@aws-sdk/lib-dynamodb'

// biome-ignore lint/suspicious/noExplicitAny: the document client's own type of an item
export type Item = Record<string, any>

export const TableName = process.env.TABLE_NAME ?? ''
export const documents = DynamoDBDocumentClient.from(new DynamoDBClient())

export async function queryAll(PK: string, abortSignal: AbortSignal) {
  const condition = { KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: { ':pk': PK } }
  const query = { TableName, ...condition, ConsistentRead: true }
  const pages = await Array.fromAsync(paginateQuery({ client: documents }, query, { abortSignal }))
  return pages.flatMap(({ Items = [] }): Item[] => Items)
}

export async function getAll(keys: Item[], abortSignal: AbortSignal) {
  const items: Item[] = []
  await inParallel(chunks(keys, 100), 4, async Keys => {
    let left: Item | undefined = { [TableName]: { Keys, ConsistentRead: true } }
    while (left?.[TableName]) {
      const command = new BatchGetCommand({ RequestItems: left })
      const { Responses, UnprocessedKeys }: Item = await documents.send(command, { abortSignal })
      items.push(...Responses[TableName])
      left = UnprocessedKeys
    }
  })
  return items
}

export const deleteAll = (items: Item[], abortSignal: AbortSignal) =>
  inParallel(chunks(items, 25), 8, async batch => {
    const deletions = batch.map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } }))
    let left: Item | undefined = { [TableName]: deletions }
    while (left?.[TableName]) {
      const command = new BatchWriteCommand({ RequestItems: left })
      left = (await documents.send(command, { abortSignal })).UnprocessedItems
    }
  })

export async function inParallel<T>(items: T[], atOnce: number, work: (item: T) => Promise<unknown>) {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

const chunks = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))
