import { isLinked, isListed, type ProviderRecord } from '../domain/provider.ts'
import type { LinkChange, MembershipStore } from './ports.ts'

/**
 * Takes a user out of every provider to which no link is left.
 *
 * @returns false when something has changed meanwhile
 */
export async function leave(
  store: MembershipStore,
  change: Omit<LinkChange, 'joined' | 'left'>,
  providers: readonly ProviderRecord[],
  signal: AbortSignal,
): Promise<boolean> {
  const { userId, from, to } = change
  const gone = providers.filter(
    ({ resource }) => isLinked(from.links, resource) && (to === undefined || !isLinked(to.links, resource)),
  )
  // A provider that is not active stays so: its edges and its count are left alone.
  const active = gone.filter(isListed).map(({ resource }) => resource.id)
  // A link that has no membership goes all the same, and no count changes.
  const left = await store.membershipsOf(userId, active, signal)
  return store.apply({ ...change, joined: [], left }, signal)
}
