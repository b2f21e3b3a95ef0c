import { isPastRetention, type ProviderRecord } from '../domain/provider.ts'
import { delay } from '../time.ts'
import { type RemovalContext, type RemovalPorts, visibleAfterMs } from './ports.ts'

/** A pause before another round is as long as the attempt has taken so far, within these limits. */
const pauseMinMs = 100
const pauseMaxMs = 1000

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
}

/**
 * Unlinks and marks all members of a provider, in rounds, each from the first page to the last: until as many are marked as
 * are counted, or a round has begun so late that it shows every member; see lib/README.md, "Removal".
 *
 * @returns what the last round has found; undefined when the removal is not running any more
 */
export async function unlinkMembers(
  ports: RemovalPorts,
  provider: ProviderRecord,
  context: RemovalContext,
  progress: Progress,
): Promise<Round | undefined> {
  const { clock } = ports
  const { removal, memberCount = Number.POSITIVE_INFINITY } = provider
  const startMs = clock.elapsedMs()
  const shownMs = startMs + visibleAfterMs
  while (true) {
    const beganMs = clock.elapsedMs()
    const round = await unlinkOnce(ports, provider, context, progress)
    const isComplete = round === undefined || round.unlinked >= memberCount
    if (isComplete || beganMs >= shownMs || isPastRetention(removal, clock.nowMs())) return round
    const nowMs = clock.elapsedMs()
    const pauseMs = Math.min(Math.max(pauseMinMs, nowMs - startMs), pauseMaxMs, Math.ceil(shownMs - nowMs))
    await delay(clock, Math.max(0, pauseMs), context.signal)
  }
}

async function unlinkOnce(
  { store, clock }: RemovalPorts,
  provider: ProviderRecord,
  { log, signal }: RemovalContext,
  progress: Progress,
): Promise<Round | undefined> {
  const round: Round = { last: [], members: 0, unlinked: 0 }
  const errors: unknown[] = []
  for await (const page of store.members(provider, signal)) {
    const linked = page.flatMap(({ userId, isUnlinked }) => (isUnlinked ? [] : userId))
    round.last = page.map(({ userId }) => userId)
    round.members += page.length
    round.unlinked += page.length - linked.length
    advance(progress, round)
    const { unlinked: before } = round
    try {
      for await (const more of store.unlink(provider, linked, clock, signal)) {
        if (more === undefined) return undefined
        round.unlinked += more
        advance(progress, round)
      }
    } catch (error) {
      // Members who are refused do not hold up the next page. When it is anything else, the read of that page fails, too.
      errors.push(error)
    } finally {
      if (round.unlinked > before)
        log('users_unlinked', {
          provider_id: provider.resource.id,
          removal_id: provider.removal.id,
          affected_total: progress.affectedTotal,
          unlinked: round.unlinked,
        })
    }
  }
  if (errors.length > 0) throw errors[0]
  return round
}

function advance(progress: Progress, { members, unlinked }: Round) {
  progress.affectedTotal = Math.max(progress.affectedTotal, members)
  progress.unlinked = Math.max(progress.unlinked ?? 0, unlinked)
}
