import { chunk, forEachConcurrently } from '../concurrency.ts'
import { asRemoving, isPastRetention, type RemovingProvider } from '../domain/provider.ts'
import { delay } from '../time.ts'
import { isMarked, isUnlinked, type Listed, visibleAfterMs } from './members.ts'
import type { Member, RemovalContext, RemovalPorts } from './ports.ts'

/** The progress of one attempt. */
export interface Progress {
  /** The larger one of those counted and those seen. */
  readonly affectedTotal: number
  /** Undefined until members were read; never more than `affectedTotal`. */
  readonly unlinked?: number
}
export type Report = (progress: Progress) => void

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
  report: Report,
): Promise<Listed | undefined> {
  const { clock } = ports
  const { removal, memberCount } = begun
  let progress: Progress = { affectedTotal: memberCount ?? 0 }
  report(progress)
  const advance = (seen: number, unlinked: number) => {
    const affectedTotal = Math.max(progress.affectedTotal, seen)
    progress = { affectedTotal, unlinked: Math.max(progress.unlinked ?? 0, unlinked) }
    report(progress)
    return progress
  }
  const shownMs = clock.elapsedMs() + visibleAfterMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    const beganMs = clock.elapsedMs()
    const listed = await unlinkOnce(ports, begun, context, advance)
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

async function unlinkOnce(
  ports: RemovalPorts,
  begun: RemovingProvider,
  { log, signal }: RemovalContext,
  advance: (seen: number, unlinked: number) => Progress,
): Promise<Listed | undefined> {
  const { store, clock } = ports
  const { resource, removal, memberCount } = begun
  const unlink = store.unlinker(resource)
  let seen = 0
  let unlinked = 0
  let newlyUnlinked = 0

  function count(users: number) {
    unlinked += users
    advance(seen, unlinked)
  }

  /** @returns the members of a page who are marked now */
  async function unlinkPage(members: Member[], pending: Member[]): Promise<Member[]> {
    const notMembers = new Set<Member>()
    count(members.length - pending.length)
    await forEachConcurrently(chunk(pending, chunkSize), chunksAtOnce, async part => {
      const userIds = part.map(({ userId }) => userId)
      await unlink(userIds, clock.nowMs(), signal)
      const refused = new Set(await store.mark(resource.id, userIds, removal.retainedUntil, signal))
      const others = part.filter(member => refused.has(member.userId) && !isMarked(member, removal))
      for (const member of others) notMembers.add(member)
      newlyUnlinked += part.length - others.length
      count(part.length - others.length)
    })
    return members.filter(member => !notMembers.has(member))
  }

  try {
    let whole: Member[] | undefined
    for await (const { items, isLast } of store.members(resource.id, signal)) {
      const pending = items.filter(member => !isUnlinked(member, removal))
      const isFirst = seen === 0
      const isWhole = isFirst && items.length === memberCount
      // When another client has finished it, those who are left were linked against the rules.
      if (pending.length > 0 && !isWhole && !(await isRunning(ports, begun, signal))) return undefined
      seen += items.length
      const marked = await unlinkPage(items, pending)
      if (isFirst && isLast) whole = marked
    }
    return { total: unlinked, whole }
  } finally {
    if (newlyUnlinked > 0)
      log('users_unlinked', {
        provider_id: resource.id,
        removal_id: removal.id,
        affected_total: advance(seen, unlinked).affectedTotal,
        unlinked,
        newly_unlinked: newlyUnlinked,
      })
  }
}
