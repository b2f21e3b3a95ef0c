import { memberIdOf, membershipsOf } from '../../../lib/store/keys.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import type { Table } from '../../../lib/store/table.ts'

export async function countMemberships(table: Table, id: number, signal: AbortSignal): Promise<number> {
  let counted = 0
  for await (const page of table.pages(membershipsOf(id), memberIdOf, signal)) counted += page.length
  return counted
}

/**
 * Whether an active provider has a wrong count: one that is unknown, or that is above the number of its memberships both before
 * and after they are counted, or below it both times. Where a writer changes count and memberships meanwhile, their number is
 * between the two counts.
 */
export async function isMiscounted(table: Table, id: number, signal: AbortSignal): Promise<boolean> {
  const before = await findProvider(table, id, signal)
  const counted = await countMemberships(table, id, signal)
  const after = await findProvider(table, id, signal)
  if (after?.state !== 'active') return false
  // No number is between NaN and another one.
  const counts = [before, after].map(one => one?.memberCount ?? Number.NaN)
  const isBetween = Math.min(...counts) <= counted && counted <= Math.max(...counts)
  return !isBetween
}
