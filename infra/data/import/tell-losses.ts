import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { membersOf } from '../membership/memberships.ts'
import { placeOf } from '../table/conditions.ts'
import { leftovers } from './compare-providers.ts'
import type { ComparedUsers } from './compare-users.ts'
import type { Terms } from './terms.ts'

/**
 * Tells where users would lose their link to a provider that is in neither the table nor the input, unless it was removed here.
 *
 * @param isThere whether a provider is in the table or in the input
 */
export async function tellLostLinks(
  terms: Terms,
  { losing }: ComparedUsers,
  isThere: (id: number) => boolean,
): Promise<void> {
  for (const [id, { first, users }] of losing) {
    if (isThere(id) || terms.unlink.includes(id) || (await leftovers(terms, id)).isRemoved) continue
    terms.report.fault(
      { place: first.place, id },
      `${users} users, the first one here, have a link to the provider ${id}, which is in neither the table nor the input: import it with them, or add --unlink ${id} to leave out the link`,
    )
  }
}

/** As many users leave a provider now and then, if they are not half of all. */
const leaversMax = 10
/** Fewer may leave a provider of any size. */
const leaversMin = 3

/**
 * Tells the active providers that would lose half or more of their users (three or more), or more than ten who are more than a
 * tenth, or any while the input has other providers: such a change is more often a mistake in the source than meant, and the
 * users would be missing in the answer of the DELETE.
 *
 * @param known the providers in the table
 * @param mentioned the ids of those in the input
 */
export async function tellLeavers(
  { data, unlink, report, signal }: Terms,
  { leaving }: ComparedUsers,
  known: readonly ProviderRecord[],
  mentioned: ReadonlySet<unknown>,
): Promise<void> {
  for (const { resource, memberCount } of known.filter(isListed)) {
    const { id } = resource
    const leavers = leaving.get(id) ?? 0
    if (leavers === 0 || unlink.includes(id)) continue
    const { length } = await membersOf(data, id, signal)
    // The count may be wrong, or memberships may be left of users who are not linked any more.
    const users = Math.min(memberCount ?? length, length)
    const isLeftOut = mentioned.size > 0 && !mentioned.has(id)
    if (!isLeftOut && !areMany(leavers, users)) continue
    report.fault(
      { place: placeOf(providerKey(id)), id },
      `${leavers} of the ${users} users of the provider ${id} would leave it: if the source has deleted the provider, send the DELETE: its answer names them; else add --unlink ${id}`,
    )
  }
}

function areMany(leavers: number, users: number): boolean {
  const areHalf = leavers >= leaversMin && leavers >= users / 2
  return areHalf || (leavers > leaversMax && leavers > users / 10)
}
