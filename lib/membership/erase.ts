import { leave } from './leave.ts'
import type { MembershipStore } from './ports.ts'
import { untilSettled } from './until-settled.ts'

/** The outcome of {@link eraseUser}. */
export type EraseOutcome = 'erased' | 'user_not_found'

/**
 * Deletes a user and the user's memberships of active providers. Memberships of a provider that is being removed or was
 * removed stay until its retention ends: they contain only the user's id, and lists omit deleted users.
 *
 * @throws Failure `table_busy`; the signal's reason
 */
export const eraseUser = (
  store: MembershipStore,
  userId: string,
  signal: AbortSignal,
): Promise<EraseOutcome> =>
  untilSettled(async () => {
    const [from, providers] = await Promise.all([store.findLinks(userId, signal), store.providers(signal)])
    if (from === undefined) return 'user_not_found'
    return (await leave(store, { userId, from, to: undefined }, providers, signal)) ? 'erased' : undefined
  })
