import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../lib/store/items.ts'
import { batchSender } from '../../lib/store/retry.ts'
import { executeBatch } from '../../lib/store/statements.ts'
import type { Clock } from '../../lib/time.ts'
import { keyOf } from './table/conditions.ts'

/**
 * Inserts at most 25 items and overwrites none. BatchWriteItem has no conditions and PutItem no batches; INSERT has both.
 *
 * @returns the items whose key is in the table; when a reply was lost, they may be there by this call
 */
export type Insert = (items: Item[], signal: AbortSignal) => Promise<Item[]>

export function inserter(client: DynamoDBDocumentClient, tableName: string, clock: Clock): Insert {
  const sendInserts = batchSender(clock)
  return async (items, signal) => {
    const taken = new Set<Item>()
    const send = async (some: Item[]) => {
      const statements = some.map(item => statementOf(tableName, item))
      const outcomes = await executeBatch(client, statements, signal)
      for (const [index, item] of some.entries()) if (outcomes[index]?.is === 'refused') taken.add(item)
      return some.filter((_, index) => outcomes[index]?.is === 'unprocessed')
    }
    await sendInserts(signal, items, send)
    return [...taken]
  }
}

/** The INSERT of an item. */
const statementOf = (tableName: string, item: Item) => ({
  key: keyOf(item),
  text: `INSERT INTO "${tableName}" VALUE {${Object.keys(item)
    .map(name => `'${name}': ?`)
    .join(', ')}}`,
  parameters: Object.values(item),
})
