import {
  BatchWriteCommand,
  type BatchWriteCommandOutput,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'
import type { Item } from '../../lib/store/items.ts'

/** Writes items, which may break the table's rules, until all are processed. */
export const putItems = (client: DynamoDBDocumentClient, tableName: string, items: readonly Item[]) =>
  forEachConcurrently(chunk(items, 25), 4, async batch => {
    let left: BatchWriteCommandOutput['UnprocessedItems'] = {
      [tableName]: batch.map(Item => ({ PutRequest: { Item } })),
    }
    while (left?.[tableName] !== undefined) {
      const reply: BatchWriteCommandOutput = await client.send(new BatchWriteCommand({ RequestItems: left }))
      left = reply.UnprocessedItems
    }
  })
