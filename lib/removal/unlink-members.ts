import { chunk, forEachConcurrently } from '../concurrency.ts'
import { asRemoving, isPastRetention, type RemovingProvider } from '../domain/provider.ts'
import type { Unlinked } from './affected.ts'
import { isUnlinked, roundOfMembers } from './members.ts'
import type { Member, RemovalPorts, Run } from './ports.ts'

/** The progress of a removal. */
export interface Progress {
  affectedTotal: number
  /** Undefined until members were read. */
  unlinked?: number
}

/** The maximum of one BatchExecuteStatement and one BatchWriteItem. */
const chunkSize = 25
const chunksAtOnce = 16

/**
 * Unlinks and marks the members who are not marked, page by page.
 *
 * @returns all members; undefined when the removal is not running any more
 */
export async function unlinkMembers(
  ports: RemovalPorts,
  begun: RemovingProvider,
  { log, signal }: Run,
  progress: Progress,
): Promise<Unlinked | undefined> {
  const { store, clock } = ports
  const { resource, removal, memberCount, position } = begun
  const facts = { provider_id: resource.id, removal_id: removal.id }
  const unlink = store.unlinker(resource)
  let total = 0
  let whole: Member[] | undefined
  let unlinked = position?.unlinked ?? 0
  let newlyUnlinked = 0
  progress.affectedTotal = memberCount

  async function unlinkAndMark(userIds: string[]) {
    await unlink(userIds, clock.nowMs(), signal)
    await store.markUnlinked(resource.id, userIds, removal.retainedUntil, signal)
    newlyUnlinked += userIds.length
    unlinked += userIds.length
    progress.unlinked = unlinked
  }

  /** When another client has finished it, TTL and writers who break the rules may have changed the list. */
  const isRunning = async () => asRemoving(await store.find(resource.id, signal), clock.nowMs()) !== undefined

  try {
    for await (const { items: members, part, isLast } of roundOfMembers(ports, begun, signal)) {
      const pending = members.filter(member => !isUnlinked(member, removal)).map(member => member.userId)
      const isCounted = part === 'whole' && members.length === memberCount
      if (pending.length > 0 && !isCounted && !(await isRunning())) return undefined
      total += members.length
      if (part === 'whole') {
        whole = members
        progress.affectedTotal = total
      }
      if (part !== 'before') unlinked += members.length - pending.length
      progress.unlinked = unlinked
      await forEachConcurrently(chunk(pending, chunkSize), chunksAtOnce, unlinkAndMark)
      const userId = members.at(-1)?.userId
      if (userId !== undefined && pending.length > 0 && !isLast)
        await store.advance(resource.id, { userId, unlinked }, signal)
    }
  } finally {
    if (newlyUnlinked > 0) {
      const { affectedTotal: affected_total } = progress
      log('users_unlinked', { ...facts, affected_total, unlinked, newly_unlinked: newlyUnlinked })
    }
  }
  if (total !== memberCount && !(await isRunning())) return undefined
  // After the retention, TTL may have deleted marked memberships: that is not drift.
  if (total !== memberCount && !isPastRetention(removal, clock.nowMs()))
    log('membership_drift', { ...facts, expected: memberCount, found: total })
  return { total, whole }
}
