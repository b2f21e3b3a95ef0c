import { isPastRetention, type ProviderRecord } from '../domain/provider.ts'
import { delay } from '../time.ts'
import { adaptGroupSize, fullPace, type Pace, slowDown } from './pace.ts'
import { type RemovalContext, type RemovalPorts, type Unlinked, visibleAfterMs } from './ports.ts'

/** How far an attempt is, kept up to date by it; a later round does not take anything back. */
export interface Progress {
  /** The larger one of those counted and those seen. */
  affectedTotal: number
  /** Undefined until members were read; never more than `affectedTotal`. */
  unlinked?: number
}

/** What a round has found and done. */
interface Round {
  /** The ids of the last page. */
  last: string[]
  members: number
  unlinked: number
  /** Whether it has unlinked nobody. */
  isIdle: boolean
  /** Why the last of those who are left out is refused. */
  refusal?: unknown
}

/**
 * Unlinks and marks all members of a provider, in rounds, each from the first page to the last: until as many are marked as
 * are counted, or a round has begun so late that it shows every member; see lib/README.md, "Removal". Who is refused waits for
 * the next round, and a round that has unlinked nobody is followed by one of smaller groups.
 *
 * @returns what the last round has found; undefined when the removal is not running any more
 * @throws why members are refused, when nobody was unlinked in a late round in which each was alone; what the store throws
 */
export async function unlinkMembers(
  ports: RemovalPorts,
  provider: ProviderRecord,
  context: RemovalContext,
  progress: Progress,
): Promise<Round | undefined> {
  const { clock } = ports
  const { removal, memberCount = Number.POSITIVE_INFINITY } = provider
  const shownMs = clock.elapsedMs() + visibleAfterMs
  const pace = fullPace()
  while (true) {
    const isLate = clock.elapsedMs() >= shownMs || isPastRetention(removal, clock.nowMs())
    const round = await unlinkOnce(ports, provider, context, progress, pace)
    if (round === undefined || isLast(round, isLate, memberCount, pace)) return round
    await delay(clock, pace.pauseMs, context.signal)
    if (round.isIdle) slowDown(pace)
  }
}

function isLast({ unlinked, isIdle, refusal }: Round, isLate: boolean, memberCount: number, pace: Pace) {
  if (refusal === undefined) return isLate || unlinked >= memberCount
  if (isLate && isIdle && pace.groupSizeMax === 1) throw refusal
  return false
}

async function unlinkOnce(
  { store, clock }: RemovalPorts,
  provider: ProviderRecord,
  { log, signal }: RemovalContext,
  progress: Progress,
  pace: Pace,
): Promise<Round | undefined> {
  const round: Round = { last: [], members: 0, unlinked: 0, isIdle: true }
  try {
    for await (const page of store.members(provider, signal)) {
      const linked = page.flatMap(({ userId, isUnlinked }) => (isUnlinked ? [] : userId))
      round.last = page.map(({ userId }) => userId)
      round.members += page.length
      round.unlinked += page.length - linked.length
      advance(progress, round)
      while (linked.length > 0) {
        const done = await store.unlink(provider, linked.splice(0, pace.groupSize), clock, signal)
        if (done === undefined) return undefined
        add(round, done)
        advance(progress, round)
        adaptGroupSize(pace, done)
      }
    }
    return round
  } finally {
    if (!round.isIdle)
      log('users_unlinked', {
        provider_id: provider.resource.id,
        removal_id: provider.removal.id,
        affected_total: progress.affectedTotal,
        unlinked: progress.unlinked,
      })
  }
}

function add(round: Round, { unlinked, refusal }: Unlinked) {
  round.unlinked += unlinked
  round.isIdle &&= unlinked === 0
  round.refusal = refusal ?? round.refusal
}

function advance(progress: Progress, { members, unlinked }: Round) {
  progress.affectedTotal = Math.max(progress.affectedTotal, members)
  progress.unlinked = Math.max(progress.unlinked ?? 0, unlinked)
}
