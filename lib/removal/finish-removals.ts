import { Failure, reasonOf } from '../domain/failure.ts'
import { asRemoving, type ProviderRecord } from '../domain/provider.ts'
import { delay, timeLimit } from '../time.ts'
import type { RemovalPorts, Run } from './ports.ts'
import { finishRemoval } from './remove-provider.ts'

/** The context of a run that ends at a time, in milliseconds since the Unix epoch. */
export type ScheduledRun = Run & { endsAtMs: number }

/** Between two rounds of a run. */
const pauseMs = 15_000

/**
 * Finishes abandoned removals, which began longer ago than a request can take or whose attributes are malformed. Each gets half
 * of the time that is left, the last one all of it, so that one has time to read a long list to its end; in rounds, until all
 * are finished or the time is over. The clock decides with which a round begins, so that each comes first some day. Logs why a
 * removal is unfinished, and at the end how many are.
 *
 * @param requestMaxMs maximum duration of a request, in milliseconds
 * @throws the first error that is not a Failure, after all removals were tried; a removal with such an error is not repeated
 */
export async function finishRemovals(
  ports: RemovalPorts,
  requestMaxMs: number,
  { log, signal, endsAtMs }: ScheduledRun,
): Promise<void> {
  const { store, clock } = ports
  const ageMs = (found: ProviderRecord) =>
    clock.nowMs() - (asRemoving(found, clock.nowMs())?.removal.startedAtMs ?? 0)
  const bugs = new Map<number, unknown>()
  /** What the last round left, with the failures of those that it has tried. */
  let unfinished: ProviderRecord[] | undefined
  let failures = new Map<ProviderRecord, Failure>()

  async function round() {
    const removing = await store.removing(signal)
    failures = new Map()
    const due = removing.filter(found => ageMs(found) > requestMaxMs && !bugs.has(found.resource.id))
    const first = clock.nowMs() % Math.max(1, due.length)
    const order = [...due.slice(first), ...due.slice(0, first)]
    const finished = new Set<ProviderRecord>()
    for (const [index, found] of order.entries()) {
      const error = await finishWithin((endsAtMs - clock.nowMs()) / Math.min(2, order.length - index), found)
      if (error === undefined) finished.add(found)
      else if (error instanceof Failure) failures.set(found, error)
      else bugs.set(found.resource.id, error)
    }
    unfinished = removing.filter(found => !finished.has(found))
  }

  /** @returns the error, if it is not finished */
  async function finishWithin(ms: number, found: ProviderRecord): Promise<unknown> {
    const share = timeLimit(clock, clock.nowMs() + ms, () => new Failure('wait_expired'), signal)
    try {
      return await finishRemoval(ports, found, { log, signal: share.signal })
    } catch (error) {
      const { name, message, stack } = error as Error
      if (!(error instanceof Failure))
        log('unexpected_error', { ...idsOf(found), error: name, message, stack })
      return error
    } finally {
      share.end()
    }
  }

  let unread: Failure | undefined
  do {
    unread = await failureOf(round())
  } while ((unread || failures.size > 0) && !(await failureOf(delay(clock, pauseMs, signal))))

  if (unread?.code === 'table_busy') log('table_busy', { reason: reasonOf(unread) })
  for (const [found, failure] of failures)
    if (failure.code === 'table_busy') log('table_busy', { ...idsOf(found), reason: reasonOf(failure) })
  if (unfinished !== undefined)
    log('removals_checked', {
      unfinished: unfinished.length,
      oldest_age_seconds: Math.round(Math.max(0, ...unfinished.map(ageMs)) / 1000),
    })
  if (bugs.size > 0) throw bugs.values().next().value
}

/** The failure with which some work ends. @throws any other error */
async function failureOf(work: Promise<void>): Promise<Failure | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

const idsOf = (of: ProviderRecord) => ({ provider_id: of.resource.id, removal_id: of.removal?.id })
