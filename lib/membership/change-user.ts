import { Failure } from '../domain/failure.ts'
import type { ProviderRecord } from '../domain/provider.ts'
import type { MembershipStore, StoredLinks } from './ports.ts'

const triesMax = 20

/**
 * Changes a user by what the user's links and the providers are; reads and decides again when another writer has changed
 * something meanwhile.
 *
 * @param attempt returns undefined when its write came too late
 * @throws Failure `table_busy` when every attempt does; the signal's reason
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
  throw new Failure('table_busy', {}, new Error(`other writers came in between ${triesMax} times`))
}
