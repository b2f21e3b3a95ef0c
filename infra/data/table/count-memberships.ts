import { memberIdOf, members } from '../../../lib/store/keys.ts'
import type { Table } from '../../../lib/store/table.ts'

/** The number of memberships of a provider. */
export async function countMemberships(table: Table, id: number, signal: AbortSignal): Promise<number> {
  let counted = 0
  for await (const page of table.pages(members(id), memberIdOf, signal)) counted += page.length
  return counted
}
