import { memberOf } from '../../../lib/store/items.ts'
import { members } from '../../../lib/store/keys.ts'
import type { Table } from '../../../lib/store/table.ts'

/** The number of memberships of a provider. */
export async function countMemberships(table: Table, id: number, signal: AbortSignal): Promise<number> {
  let counted = 0
  for await (const { items } of table.pages(members(id), memberOf, signal)) counted += items.length
  return counted
}
