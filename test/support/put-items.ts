import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type BatchWriteCommandOutput,
  type DynamoDBDocumentClient,
  paginateScan,
} from '@aws-sdk/lib-dynamodb'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import type { Item } from '../../lib/store/items.ts'

type Write = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

/** Writes items, which may break the table's rules, until all are processed. */
export const putItems = (client: DynamoDBDocumentClient, tableName: string, items: readonly Item[]) =>
  write(
    client,
    tableName,
    items.map(Item => ({ PutRequest: { Item } })),
  )

/** Makes these items all items of a small table. */
export async function replaceItems(client: DynamoDBDocumentClient, tableName: string, items: Item[]) {
  const names = new Set(items.map(nameOf))
  const others = (await allItems(client, tableName)).filter(item => !names.has(nameOf(item)))
  const deletions = others.map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } }))
  await write(client, tableName, [...deletions, ...items.map(Item => ({ PutRequest: { Item } }))])
}

const write = (client: DynamoDBDocumentClient, tableName: string, writes: Write[]) =>
  forEachConcurrently(chunk(writes, 25), 4, async batch => {
    let left: BatchWriteCommandOutput['UnprocessedItems'] = { [tableName]: batch }
    while (left?.[tableName] !== undefined) {
      const reply: BatchWriteCommandOutput = await client.send(new BatchWriteCommand({ RequestItems: left }))
      left = reply.UnprocessedItems
    }
  })

/** All items of a table, by key. */
export async function allItems(client: DynamoDBDocumentClient, tableName: string): Promise<Item[]> {
  const items: Item[] = []
  const pages = paginateScan({ client }, { TableName: tableName, ConsistentRead: true })
  for await (const { Items = [] } of pages) items.push(...Items)
  return inOrder(items)
}

/** Items by key. */
export const inOrder = (items: Item[]) =>
  items.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))

/** An item's key as a text. */
const nameOf = ({ PK, SK }: Item): string => `${PK} ${SK}`
