import { Failure, reasonOf } from '../domain/failure.ts'
import { asRemoving, type ProviderRecord } from '../domain/provider.ts'
import { timeLimit } from '../time.ts'
import type { RemovalContext, RemovalPorts } from './ports.ts'
import { finishRemoval } from './remove-provider.ts'

/** The context of a run that ends at a time, in milliseconds since the Unix epoch. */
export type ScheduledRun = RemovalContext & { endsAtMs: number }

/**
 * Tries once to finish each removal that began longer ago than a request can take, or whose attributes are malformed. Each gets
 * half of the time that is left, the last one all of it, so that one can read a long list to its end. The clock decides which
 * is the first, so that each comes first some day.
 *
 * @throws the first error that is not a Failure, after all removals were tried
 */
export async function finishRemovals(
  ports: RemovalPorts,
  requestMaxMs: number,
  { log, signal, endsAtMs }: ScheduledRun,
): Promise<void> {
  const { store, clock } = ports
  const ageMs = (found: ProviderRecord) =>
    clock.nowMs() - (asRemoving(found, clock.nowMs())?.removal.startedAtMs ?? 0)
  const bugs: unknown[] = []

  /** @returns whether the removal is finished, perhaps by another client */
  async function tryToFinish(found: ProviderRecord, shareMs: number): Promise<boolean> {
    const share = timeLimit(clock, clock.nowMs() + shareMs, () => new Failure('wait_expired'), signal)
    const removing = async () => {
      const now = await store.find(found.resource.id, share.signal)
      return now?.state === 'removing' ? now : undefined
    }
    try {
      // It was read before the other removals of this run.
      const now = await removing()
      if (now === undefined) return true
      const finished = await finishRemoval(ports, now, { log, signal: share.signal })
      return finished !== undefined || (await removing()) === undefined
    } catch (error) {
      logWhy(error, { provider_id: found.resource.id, removal_id: found.removal?.id })
      return false
    } finally {
      share.end()
    }
  }

  function logWhy(error: unknown, ids: { provider_id?: number; removal_id?: string | undefined }) {
    if (!(error instanceof Failure)) {
      const { name, message, stack } = error as Error
      log('unexpected_error', { ...ids, error: name, message, stack })
      bugs.push(error)
    } else if (error.code === 'table_busy') log('table_busy', { ...ids, reason: reasonOf(error) })
  }

  let removing: ProviderRecord[]
  try {
    removing = await store.removing(signal)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return logWhy(error, {})
  }
  const due = rotated(
    removing.filter(found => ageMs(found) > requestMaxMs),
    clock.nowMs(),
  )
  const finished = new Set<ProviderRecord>()
  for (const found of due) {
    const leftMs = endsAtMs - clock.nowMs()
    const isLast = found === due.at(-1)
    if (await tryToFinish(found, isLast ? leftMs : leftMs / 2)) finished.add(found)
  }
  const unfinished = removing.filter(found => !finished.has(found))
  log('removals_checked', {
    unfinished: unfinished.length,
    oldest_age_seconds: Math.round(Math.max(0, ...unfinished.map(ageMs)) / 1000),
  })
  if (bugs.length > 0) throw bugs[0]
}

/** The items, beginning with the one at the index `by` modulo their number, in their order. */
function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
