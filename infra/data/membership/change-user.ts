import { Failure } from '../../../lib/domain/failure.ts'
import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import type { MembershipStore, StoredLinks } from './ports.ts'

const triesMax = 20

/**
 * Changes a user on the basis of the user's links and all providers. Repeats the read, the decision and the conditional
 * write until no other writer interferes.
 *
 * @param attempt returns undefined when another writer changed what it was given
 * @throws Failure `table_busy` after 20 attempts; the signal's reason
 */
export async function changeUser<Outcome>(
  store: MembershipStore,
  userId: string,
  signal: AbortSignal,
  attempt: (from: StoredLinks, providers: ProviderRecord[]) => Promise<Outcome | undefined>,
): Promise<Outcome | 'user_not_found'> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const [from, providers] = await Promise.all([store.findLinks(userId, signal), store.providers(signal)])
    if (from === undefined) return 'user_not_found'
    const outcome = await attempt(from, providers)
    if (outcome !== undefined) return outcome
  }
  throw new Failure('table_busy', {}, new Error(`other writers interfered ${triesMax} times`))
}
