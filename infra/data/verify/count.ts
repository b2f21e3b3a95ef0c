import { isListed } from '../../../lib/domain/provider.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import type { Table } from '../../../lib/store/table.ts'
import { countMemberships } from '../table/count-memberships.ts'

const roundsMax = 5

/**
 * What is wrong with the count of an active provider. Its memberships are read between two readings of the count, again while
 * these differ: then a writer has changed them meanwhile.
 */
export async function faultOfCount(
  table: Table,
  id: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  let isStill = true
  for (let round = 0; round < roundsMax; round++) {
    const before = await findProvider(table, id, signal)
    const counted = await countMemberships(table, id, signal)
    const after = await findProvider(table, id, signal)
    if (before === undefined || !isListed(before) || after === undefined || !isListed(after)) return undefined
    if (before.memberCount === counted && after.memberCount === counted) return undefined
    isStill &&= before.memberCount === after.memberCount
  }
  return isStill
    ? 'member_count is not the number of its memberships'
    : 'not checked, because writers change its memberships meanwhile'
}
