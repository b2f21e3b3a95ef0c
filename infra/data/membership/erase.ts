import { changeUser } from './change-user.ts'
import { leave } from './leave.ts'
import type { MembershipStore } from './ports.ts'

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
  changeUser(store, userId, signal, async (from, providers) =>
    (await leave(store, { userId, from, to: undefined, joined: [] }, providers, signal))
      ? 'erased'
      : undefined,
  )
