import { isLinked, isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { LinkChange, MembershipStore } from './ports.ts'

/**
 * Applies a change of a user's links and ends the memberships for which no link is left.
 *
 * @returns false when a stored value has changed since it was read
 */
export async function leave(
  store: MembershipStore,
  change: Omit<LinkChange, 'left'>,
  providers: readonly ProviderRecord[],
  signal: AbortSignal,
): Promise<boolean> {
  const { userId, from, to } = change
  const gone = providers.filter(
    ({ resource }) => isLinked(from.links, resource) && (to === undefined || !isLinked(to.links, resource)),
  )
  // The memberships and the count of a provider that is not active do not change.
  const active = gone.filter(isListed).map(({ resource }) => resource.id)
  // A link without a membership is cleared, too, without a change of the count.
  const left = await store.membershipsOf(userId, active, signal)
  return store.apply({ ...change, left }, signal)
}
