import { sleep } from '../clock.ts'
import type { ProviderRecord, Removal } from '../domain/provider.ts'
import type { Asker, Member, RemovalTools } from './tools.ts'

/** How long after a removal's start a link made just before it may still be invisible to a Query. */
const settlingMs = 500
const settlingPauseMs = 50

/**
 * All members, read again for a moment when fewer than the count says: a Query is only read-committed against the
 * transaction that made a link. A count that stays wrong is reported and then ignored: it must not make a removal stick.
 */
export async function settledMembers(
  { store, clock }: RemovalTools,
  { resource, memberCount, removal }: ProviderRecord & { removal: Removal },
  { log, signal }: Asker,
): Promise<Member[]> {
  let members = await store.members(resource.id, signal)
  while (members.length < memberCount && clock.nowMs() < removal.startedAtMs + settlingMs) {
    await sleep(clock, settlingPauseMs, signal)
    members = await store.members(resource.id, signal)
  }
  if (members.length !== memberCount) {
    const facts = { provider_id: resource.id, removal_id: removal.id }
    log('membership_drift', { ...facts, expected: memberCount, found: members.length })
  }
  return members
}
