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
 * Finishes abandoned removals, which began longer ago than a request can take or whose attributes are malformed. Each gets an
 * equal share of the time that is left, in rounds until all are finished or the time is over; each run begins with another
 * one. Logs why a removal is unfinished, and at the end how many are.
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
  let unfinished: ProviderRecord[] = []
  let errors = new Map<ProviderRecord, unknown>()

  async function round() {
    unfinished = await store.removing(signal)
    errors = new Map()
    const due = unfinished.filter(found => ageMs(found) > requestMaxMs && !bugs.has(found.resource.id))
    const first = clock.nowMs() % Math.max(1, due.length)
    const order = [...due.slice(first), ...due.slice(0, first)]
    for (const [index, found] of order.entries()) {
      const error = await finishWithin((endsAtMs - clock.nowMs()) / (order.length - index), found)
      if (error === undefined) unfinished = unfinished.filter(each => each !== found)
      else if (error instanceof Failure) errors.set(found, error)
      else bugs.set(found.resource.id, error)
    }
    return errors.size === 0
  }

  /** @returns the error, if it is not finished */
  async function finishWithin(ms: number, found: ProviderRecord): Promise<unknown> {
    const share = timeLimit(clock, clock.nowMs() + ms, () => new Failure('wait_expired'), signal)
    try {
      return await finishRemoval(ports, found, { log, signal: share.signal })
    } catch (error) {
      if (!(error instanceof Failure)) logBug(found, error as Error)
      return error
    } finally {
      share.end()
    }
  }

  function logBug({ resource, removal }: ProviderRecord, { name, message, stack }: Error) {
    log('unexpected_error', { ...idsOf(resource.id, removal?.id), error: name, message, stack })
  }

  try {
    while (!(await round())) await delay(clock, pauseMs, signal)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The time is over, or the providers cannot be read.
    if (error.code === 'table_busy') log('table_busy', { reason: reasonOf(error) })
    if (errors.size === 0 && unfinished.length === 0) return
  }
  for (const [{ resource, removal }, error] of errors)
    if (error instanceof Failure && error.code === 'table_busy')
      log('table_busy', { ...idsOf(resource.id, removal?.id), reason: reasonOf(error) })
  log('removals_checked', {
    unfinished: unfinished.length,
    oldest_age_seconds: Math.round(Math.max(0, ...unfinished.map(ageMs)) / 1000),
  })
  for (const bug of bugs.values()) throw bug
}

const idsOf = (providerId: number, removalId?: string) => ({ provider_id: providerId, removal_id: removalId })
