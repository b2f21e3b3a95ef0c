import { isLinked } from '../../../lib/domain/provider.ts'
import { linksOf } from '../../../lib/store/items.ts'
import { linksWithout } from '../linked-providers.ts'
import type { EraseOutcome, UnlinkOutcome } from './api.ts'
import { type Calls, changeUser, newLinks } from './change.ts'

/**
 * Clears a user's links to the provider. The membership of an active provider is deleted. That of a provider that is being
 * removed or was removed stays: it is part of the list that clients still have to get.
 *
 * @param updatedAt ISO 8601 UTC with milliseconds
 * @throws Failure `table_busy`; the signal's reason
 */
export const unlinkUser = (
  calls: Calls,
  userId: string,
  providerId: number,
  updatedAt: string,
  signal: AbortSignal,
): Promise<UnlinkOutcome> =>
  changeUser<UnlinkOutcome>(calls, userId, 'unlinked', signal, (user, providers) => {
    const links = linksOf(user)
    const provider = providers.find(({ resource }) => resource.id === providerId)?.resource
    if (provider === undefined) return 'provider_not_found'
    if (!isLinked(links, provider)) return 'not_linked'
    return { to: newLinks(linksWithout(links, provider), updatedAt) }
  })

/**
 * Deletes a user and the user's memberships of active providers. Memberships of a provider that is being removed or was
 * removed stay until its retention ends: they contain only the user's id, and lists omit deleted users.
 *
 * @throws Failure `table_busy`; the signal's reason
 */
export const eraseUser = (calls: Calls, userId: string, signal: AbortSignal): Promise<EraseOutcome> =>
  changeUser<EraseOutcome>(calls, userId, 'erased', signal, () => ({ to: undefined }))
