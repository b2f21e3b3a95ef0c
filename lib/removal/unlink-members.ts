import { chunk, forEachConcurrently } from '../concurrency.ts'
import { asRemoving, isPastRetention, type RemovingProvider } from '../domain/provider.ts'
import { delay } from '../time.ts'
import { isMarked, isUnlinked, type Listed, visibleAfterMs } from './members.ts'
import type { Member, RemovalContext, RemovalPorts } from './ports.ts'

/** The progress of one attempt, which keeps it up to date. */
export interface Progress {
  /** The larger one of those counted and those seen. */
  affectedTotal: number
  /** Undefined until members were read; never more than `affectedTotal`. */
  unlinked?: number
}

/** What one round has done so far. */
interface Round {
  pages: number
  /** The memberships of these pages. */
  seen: number
  /** How many of them are marked now. */
  unlinked: number
  /** How many of them this round has marked. */
  newlyUnlinked: number
}

/** The maximum of one BatchExecuteStatement. */
const chunkSize = 25
const chunksAtOnce = 16

/** Before the second round; each pause is twice the one before. */
const firstPauseMs = 100
const longestPauseMs = 1000

/**
 * Unlinks and marks all members of a provider, in rounds, each from the first page to the last: until as many are marked as
 * are counted, or a round has begun so late that it shows every link; see lib/README.md, "Removal".
 *
 * @returns the members who are marked; undefined when the removal is not running any more
 */
export async function unlinkMembers(
  ports: RemovalPorts,
  begun: RemovingProvider,
  context: RemovalContext,
  progress: Progress,
): Promise<Listed | undefined> {
  const { clock } = ports
  const { removal, memberCount } = begun
  progress.affectedTotal = memberCount ?? 0
  const shownMs = clock.elapsedMs() + visibleAfterMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    const beganMs = clock.elapsedMs()
    const listed = await unlinkOnce(ports, begun, context, progress)
    const isComplete = listed && memberCount !== undefined && listed.total >= memberCount
    const isOver = isPastRetention(removal, clock.nowMs())
    if (listed === undefined || isComplete || isOver || beganMs >= shownMs) return listed
    await delay(clock, Math.max(0, Math.min(pauseMs, shownMs - clock.elapsedMs())), context.signal)
    if (!(await isRunning(ports, begun, context.signal))) return undefined
  }
}

/** Whether no other client has finished the removal, or replaced the retention on which the marks depend. */
async function isRunning({ store, clock }: RemovalPorts, begun: RemovingProvider, signal: AbortSignal) {
  const now = asRemoving(await store.find(begun.resource.id, signal), clock.nowMs())
  return now?.removal.retainedUntil === begun.removal.retainedUntil
}

/** One round; what it has done counts and is logged also when it is interrupted. */
async function unlinkOnce(
  ports: RemovalPorts,
  begun: RemovingProvider,
  { log, signal }: RemovalContext,
  progress: Progress,
): Promise<Listed | undefined> {
  const round: Round = { pages: 0, seen: 0, unlinked: 0, newlyUnlinked: 0 }
  try {
    return await unlinkPages(ports, begun, round, signal)
  } finally {
    progress.affectedTotal = Math.max(progress.affectedTotal, round.seen)
    if (round.pages > 0) progress.unlinked = Math.max(progress.unlinked ?? 0, round.unlinked)
    if (round.newlyUnlinked > 0)
      log('users_unlinked', {
        provider_id: begun.resource.id,
        removal_id: begun.removal.id,
        affected_total: progress.affectedTotal,
        unlinked: round.unlinked,
        newly_unlinked: round.newlyUnlinked,
      })
  }
}

async function unlinkPages(
  ports: RemovalPorts,
  begun: RemovingProvider,
  round: Round,
  signal: AbortSignal,
): Promise<Listed | undefined> {
  const { store, clock } = ports
  const { resource, removal, memberCount } = begun
  const unlink = store.unlinker(resource)

  /** @returns those who were no members when the removal began */
  async function unlinkChunk(members: Member[]): Promise<Member[]> {
    const userIds = members.map(({ userId }) => userId)
    await unlink(userIds, clock.nowMs(), signal)
    const refused = new Set(await store.mark(resource.id, userIds, removal.retainedUntil, signal))
    return members.filter(member => refused.has(member.userId) && !isMarked(member, removal))
  }

  for await (const { items, isLast } of store.members(resource.id, signal)) {
    const pending = items.filter(member => !isUnlinked(member, removal))
    const isEverybody = round.pages === 0 && items.length === memberCount
    // When another client has finished it, those who are left were linked against the rules.
    if (pending.length > 0 && !isEverybody && !(await isRunning(ports, begun, signal))) return undefined
    round.pages += 1
    round.seen += items.length
    round.unlinked += items.length - pending.length
    const others = new Set<Member>()
    await forEachConcurrently(chunk(pending, chunkSize), chunksAtOnce, async members => {
      const refused = await unlinkChunk(members)
      for (const member of refused) others.add(member)
      const unlinked = members.length - refused.length
      round.unlinked += unlinked
      round.newlyUnlinked += unlinked
    })
    const isOnlyPage = isLast && round.pages === 1
    if (isOnlyPage) return { total: round.unlinked, whole: items.filter(member => !others.has(member)) }
  }
  return { total: round.unlinked }
}
