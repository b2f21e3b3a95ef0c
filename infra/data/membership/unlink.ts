import { isLinked, linksWithout } from '../../../lib/domain/provider.ts'
import { changeUser } from './change-user.ts'
import { leave } from './leave.ts'
import type { MembershipStore } from './ports.ts'

/** The outcome of {@link unlinkUser}. */
export type UnlinkOutcome = 'unlinked' | 'user_not_found' | 'provider_not_found' | 'not_linked'

/**
 * Clears a user's links to the provider. The membership of an active provider is deleted. That of a provider that is being
 * removed or was removed stays: it is part of the list that clients still have to get.
 *
 * @param updatedAt ISO 8601 UTC with milliseconds
 * @throws Failure `table_busy`; the signal's reason
 */
export const unlinkUser = (
  store: MembershipStore,
  userId: string,
  providerId: number,
  updatedAt: string,
  signal: AbortSignal,
): Promise<UnlinkOutcome> =>
  changeUser(store, userId, signal, async (from, providers) => {
    const provider = providers.find(({ resource }) => resource.id === providerId)?.resource
    if (provider === undefined) return 'provider_not_found'
    if (!isLinked(from.links, provider)) return 'not_linked'
    const to = { links: linksWithout(from.links, provider), updatedAt }
    return (await leave(store, { userId, from, to, joined: [] }, providers, signal)) ? 'unlinked' : undefined
  })
