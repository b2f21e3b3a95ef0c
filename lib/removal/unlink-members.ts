import { isPastRetention, type ProviderRecord } from '../domain/provider.ts'
import { delay } from '../time.ts'
import { adaptGroupSize, fullPace, lengthenPause, type Pace } from './pace.ts'
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
  /** Whether it has unlinked somebody. */
  hasAdvanced: boolean
  /** Whether a group was too large. */
  isTooLarge: boolean
  /** Why the last of those who are left out is refused. */
  refusal?: unknown
}

/**
 * Unlinks and marks all members of a provider, in rounds, each from the first page to the last: until as many are marked as
 * are counted, or a round has begun so late that it shows every member; see lib/README.md, "Removal". Who is refused waits for
 * the next round.
 *
 * @returns what the last round has found; undefined when the removal is not running any more
 * @throws why members are refused, when a late round has unlinked nobody, and no group was too large; what the store throws
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
    if (round === undefined || isLast(round, isLate, memberCount)) return round
    await delay(clock, pace.pauseMs, context.signal)
    if (!round.hasAdvanced) lengthenPause(pace)
  }
}

function isLast(round: Round, isLate: boolean, memberCount: number): boolean {
  if (round.refusal === undefined) return isLate || round.unlinked >= memberCount
  if (isLate && !round.hasAdvanced && !round.isTooLarge) throw round.refusal
  return false
}

async function unlinkOnce(
  { store }: RemovalPorts,
  provider: ProviderRecord,
  { log, signal }: RemovalContext,
  progress: Progress,
  pace: Pace,
): Promise<Round | undefined> {
  const round: Round = { last: [], members: 0, unlinked: 0, hasAdvanced: false, isTooLarge: false }
  try {
    for await (const page of store.members(provider, signal)) {
      const linked = page.flatMap(({ userId, isUnlinked }) => (isUnlinked ? [] : userId))
      round.last = page.map(({ userId }) => userId)
      round.members += page.length
      round.unlinked += page.length - linked.length
      advance(progress, round)
      while (linked.length > 0) {
        const group = linked.splice(0, pace.groupSize)
        const done = await store.unlink(provider, group, signal)
        if (done === undefined) return undefined
        add(round, done)
        advance(progress, round)
        adaptGroupSize(pace, group.length, done)
      }
    }
    return round
  } finally {
    if (round.hasAdvanced)
      log('users_unlinked', {
        provider_id: provider.resource.id,
        removal_id: provider.removal.id,
        affected_total: progress.affectedTotal,
        unlinked: progress.unlinked,
      })
  }
}

function add(round: Round, { unlinked, refusal, isTooLarge }: Unlinked) {
  round.unlinked += unlinked
  round.hasAdvanced ||= unlinked > 0
  round.isTooLarge ||= isTooLarge
  round.refusal = refusal ?? round.refusal
}

function advance(progress: Progress, { members, unlinked }: Round) {
  progress.affectedTotal = Math.max(progress.affectedTotal, members)
  progress.unlinked = Math.max(progress.unlinked ?? 0, unlinked)
}
