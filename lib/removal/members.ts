import { delay } from '../time.ts'
import { isPastRetention, type Removal, type RemovingProvider } from '../domain/provider.ts'
import type { RemovalContext, Member, RemovalPorts } from './ports.ts'

/** Whether this removal has marked the member as unlinked. */
export const isUnlinked = ({ expiresAt }: Member, { retainedUntil }: Removal): boolean =>
  expiresAt === retainedUntil

/** How long a Query may miss a link or unlink that was committed just before the tombstone. */
const settlingMs = 500
const settlingPauseMs = 50
/** After this time no earlier transaction can be in flight; a short budget must not be spent on waiting. */
const settledAfterMs = 60_000

/**
 * Reads all members, and for half a second again while their number differs from the count: a Query is only
 * read-committed against other writers' transactions. A difference that stays is logged and then ignored, so that a wrong
 * count never blocks a removal.
 *
 * The half second begins after the tombstone is written, and the last read begins after it.
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
      // After the retention, TTL may have deleted marked memberships: that is not drift.
      if (!isPastRetention(removal, clock.nowMs()))
        log('membership_drift', { ...facts, expected: memberCount, found: members.length })
      return members
    }
    await delay(clock, settlingPauseMs, signal)
  }
}
