import { Failure } from '../domain/failure.ts'
import { ageMs, type ProviderRecord } from '../domain/provider.ts'
import { logFailure } from '../log.ts'
import { timeLimit } from '../time.ts'
import type { RemovalContext, RemovalPorts } from './ports.ts'
import { runRemoval } from './remove-provider.ts'

/** The context of a run that ends at a time, in milliseconds since the Unix epoch. */
export type ScheduledRun = RemovalContext & { endsAtMs: number }

/**
 * Tries once to finish each removal that began longer ago than a request can take. Each gets half of the time that is left,
 * the last one all of it, so that one can read a long list to its end. The clock decides which is the first, so that each
 * comes first some day.
 *
 * @throws the first error that is not a Failure, after all removals were tried
 */
export async function finishRemovals(
  ports: RemovalPorts,
  requestMaxMs: number,
  run: ScheduledRun,
): Promise<void> {
  const { store, clock } = ports
  const { log, signal, endsAtMs } = run
  const ageOf = ({ removal }: ProviderRecord) => ageMs(removal, clock.nowMs())
  const bugs: unknown[] = []
  /** For the list of removals, or for one of them. */
  const noteFailure = (error: unknown, found?: ProviderRecord) => {
    logFailure(log, error, { provider_id: found?.resource.id, removal_id: found?.removal.id })
    if (!(error instanceof Failure)) bugs.push(error)
  }

  const removing = await store.removing(signal).catch(error => noteFailure(error))
  if (removing !== undefined) {
    const due = rotated(
      removing.filter(found => ageOf(found) > requestMaxMs),
      clock.nowMs(),
    )
    const unfinished = new Set(removing)
    for (const [n, found] of due.entries()) {
      const shareMs = (endsAtMs - clock.nowMs()) / Math.min(2, due.length - n)
      await tryToFinish(ports, found, shareMs, run).then(
        () => unfinished.delete(found),
        error => noteFailure(error, found),
      )
    }
    log('removals_checked', {
      unfinished: unfinished.size,
      oldest_age_seconds: Math.round(Math.max(0, ...[...unfinished].map(ageOf)) / 1000),
    })
  }
  if (bugs.length > 0) throw bugs[0]
}

async function tryToFinish(
  ports: RemovalPorts,
  found: ProviderRecord,
  shareMs: number,
  { log, signal }: ScheduledRun,
) {
  const { clock } = ports
  const share = timeLimit(clock, clock.nowMs() + shareMs, () => new Failure('wait_expired'), signal)
  try {
    await runRemoval(ports, found, { log, signal: share.signal })
  } finally {
    share.end()
  }
}

/** The items, beginning with the one at the index `by` modulo their number, in their order. */
function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}
