import { isPastRetention, type ProviderRecord } from '../domain/provider.ts'
import { delay } from '../time.ts'
import { type RemovalContext, type RemovalPorts, type Unlinked, visibleAfterMs } from './ports.ts'

/** DynamoDB allows 100 actions in a transaction: one for the provider, and two for each member. */
const membersMax = 49
/** How long an attempt goes on beside refusals while no more are unlinked: at least until a Query shows every member. */
const patienceMs = visibleAfterMs
const firstPauseMs = 100
const longestPauseMs = 1000

/** How far an attempt is, kept up to date by it; a later round does not take anything back. */
export interface Progress {
  /** The larger one of those counted and those seen. */
  knownTotal: number
  /** Undefined until members were read; never more than `knownTotal`. */
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
  /** The members of the next group. */
  groupSize: number
  /** Why one of those who are left out is refused. */
  reason?: unknown
}

/**
 * Unlinks and marks all members of a provider, in rounds, each from the first page to the last: until as many are marked as
 * are counted, or a round has begun so late that it shows every member; see lib/README.md, "Removal". Who is refused waits for
 * the next round.
 *
 * @returns what the last round has found; undefined when the removal is not running any more
 * @throws why members are refused, when eight seconds pass in which no more are unlinked, by anybody; what the store throws
 */
export async function unlinkMembers(
  ports: RemovalPorts,
  provider: ProviderRecord,
  context: RemovalContext,
  progress: Progress,
): Promise<Round | undefined> {
  const { clock } = ports
  const { removal, memberCount = Number.POSITIVE_INFINITY } = provider
  const startedAtMs = clock.elapsedMs()
  let advancedAtMs = startedAtMs
  let groupSize = membersMax
  let pauseMs = firstPauseMs
  while (true) {
    const beginsAtMs = clock.elapsedMs()
    const { unlinked: unlinkedBefore = 0 } = progress
    const isLate = beginsAtMs >= startedAtMs + visibleAfterMs || isPastRetention(removal, clock.nowMs())
    const round = await unlinkOnce(ports, provider, context, progress, groupSize)
    if (round === undefined || isDone(round, isLate, memberCount)) return round
    if (round.unlinked > unlinkedBefore) advancedAtMs = clock.elapsedMs()
    else if (beginsAtMs >= advancedAtMs + patienceMs) throw round.reason
    await delay(clock, pauseMs, context.signal)
    pauseMs = nextPause(round, pauseMs)
    groupSize = round.groupSize
  }
}

const isDone = ({ reason, unlinked }: Round, isLate: boolean, memberCount: number): boolean =>
  reason === undefined && (isLate || unlinked >= memberCount)

/** The pause after the next round: longer, when this one has unlinked nobody. */
const nextPause = ({ hasAdvanced }: Round, pauseMs: number): number =>
  hasAdvanced ? pauseMs : Math.min(pauseMs * 2, longestPauseMs)

async function unlinkOnce(
  { store }: RemovalPorts,
  provider: ProviderRecord,
  { log, signal }: RemovalContext,
  progress: Progress,
  groupSize: number,
): Promise<Round | undefined> {
  const unlink = store.unlinker(provider)
  const round: Round = { last: [], members: 0, unlinked: 0, hasAdvanced: false, groupSize }
  try {
    for await (const page of store.members(provider, signal)) {
      const linked = page.filter(({ isUnlinked }) => !isUnlinked).map(({ userId }) => userId)
      round.last = page.map(({ userId }) => userId)
      round.members += page.length
      round.unlinked += page.length - linked.length
      advance(progress, round)
      while (linked.length > 0) {
        const group = linked.splice(0, round.groupSize)
        const done = await unlink(group, signal)
        if (done === undefined) return undefined
        add(round, done, group.length)
        advance(progress, round)
      }
    }
    return round
  } finally {
    if (round.hasAdvanced)
      log('users_unlinked', {
        provider_id: provider.resource.id,
        removal_id: provider.removal.id,
        affected_total: progress.knownTotal,
        unlinked: progress.unlinked,
      })
  }
}

function add(round: Round, { unlinked, reason, fewerMayPass }: Unlinked, groupSize: number) {
  round.unlinked += unlinked
  round.hasAdvanced ||= unlinked > 0
  round.reason = reason ?? round.reason
  if (fewerMayPass) round.groupSize = Math.ceil(groupSize / 2)
  else if (reason === undefined) round.groupSize = Math.min(round.groupSize + 1, membersMax)
}

function advance(progress: Progress, { members, unlinked }: Round) {
  progress.knownTotal = Math.max(progress.knownTotal, members)
  progress.unlinked = Math.max(progress.unlinked ?? 0, unlinked)
}
