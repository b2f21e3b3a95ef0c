import { delay } from '../time.ts'
import type { Removal, RemovingProvider } from '../domain/provider.ts'
import type { RemovalContext, Member, RemovalPorts } from './ports.ts'

/** Whether the removal, or an earlier try of it, has written down that the member is unlinked. */
export const isUnlinked = ({ expiresAt }: Member, { retainedUntil }: Removal): boolean =>
  expiresAt === retainedUntil

/** How long a link made or taken away just before the tombstone may still look otherwise to a Query. */
const settlingMs = 500
const settlingPauseMs = 50
/** After this nothing of before the removal can be in flight, and the shortest budget must get beyond the listing. */
const settledAfterMs = 60_000

/**
 * All members, read again for a moment while they are not as many as the count says: a Query is only read-committed
 * against the transactions of other writers. A count that stays wrong is reported and then ignored: it must not make a
 * removal stick.
 *
 * The moment begins when the tombstone is known to stand, and only a reading that began after it counts as the last.
 */
export async function settledMembers(
  { store, clock }: RemovalPorts,
  { resource, memberCount, removal }: RemovingProvider,
  { log, signal }: RemovalContext,
): Promise<Member[]> {
  const settledMs = Math.min(clock.nowMs() + settlingMs, removal.startedAtMs + settledAfterMs)
  for (;;) {
    const readAtMs = clock.nowMs()
    const members = await store.members(resource.id, signal)
    if (members.length === memberCount) return members
    if (readAtMs >= settledMs) {
      const facts = { provider_id: resource.id, removal_id: removal.id }
      // Past its retention, edges that an earlier try marked may be gone: nobody has broken a rule.
      if (clock.nowMs() < removal.retainedUntil * 1000)
        log('membership_drift', { ...facts, expected: memberCount, found: members.length })
      return members
    }
    await delay(clock, settlingPauseMs, signal)
  }
}
