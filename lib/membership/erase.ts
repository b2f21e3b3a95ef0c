import { leave } from './leave.ts'
import type { MembershipStore } from './ports.ts'
import { untilSettled } from './until-settled.ts'

export type EraseOutcome = 'erased' | 'user_not_found'

/**
 * Deletes a user for good, with the memberships of active providers. Those of a provider that is being removed, or was,
 * stay until its retention ends: they hold the user's id and nothing else, and no list shows a user who is gone.
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
