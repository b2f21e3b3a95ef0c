import type { Item } from '../../../lib/store/items.ts'
import { executeBatch } from '../../../lib/store/statements.ts'
import type { Data } from '../open-data.ts'
import { patiently } from '../patience.ts'

/**
 * Inserts at most 25 items and overwrites none. BatchWriteItem has no conditions and PutItem no batches; INSERT has both.
 *
 * @returns the items whose key was already in the table; `unclear`: those that an earlier attempt, which failed, may have
 *   inserted
 */
export async function insert(
  { clock, client, tableName, sendInserts }: Data,
  items: Item[],
  signal: AbortSignal,
): Promise<{ occupied: Item[]; unclear: ReadonlySet<Item> }> {
  const occupied: Item[] = []
  const unclear = new Set<Item>()
  let left = items
  await patiently(clock, signal, () =>
    sendInserts(signal, left, async batch => {
      const statements = batch.map(item => statementOf(tableName, item))
      const outcomes = await executeBatch(client, statements, signal).catch(error => {
        for (const item of batch) unclear.add(item)
        throw error
      })
      occupied.push(...batch.filter((_, index) => outcomes[index]?.is === 'refused'))
      const unprocessed = new Set(batch.filter((_, index) => outcomes[index]?.is === 'unprocessed'))
      left = left.filter(item => unprocessed.has(item) || !batch.includes(item))
      return [...unprocessed]
    }),
  )
  return { occupied, unclear }
}

/** The INSERT of an item. @internal */
export const statementOf = (tableName: string, item: Item) => ({
  text: `INSERT INTO "${tableName}" VALUE {${Object.keys(item)
    .map(name => `'${name}': ?`)
    .join(', ')}}`,
  parameters: Object.values(item),
})
