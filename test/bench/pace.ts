import { Failure } from '../../lib/domain/failure.ts'
import { finishRemovals } from '../../lib/removal/finish-removals.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import { timeLimit } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { type Simulated, simulatedStores } from './simulated-store.ts'

/** The default budget of a DELETE, less its reserve. */
const requestMs = 27_850
/** The defaults of the scheduled function: its interval, and its time without the reserve for its last log line. */
const everyMs = 900_000
const runMs = 885_000
const unit = { providers: 1, userUnits: 1, share: 1 }

/** Removals by DELETEs alone, one after another for each provider. */
const byDeletes: Simulated[] = [
  { ...unit, users: 30_000 },
  { ...unit, providers: 3, users: 10_000 },
  { ...unit, users: 10_000, share: 0.05 },
]
/** Removals that a DELETE begins, and the scheduled function finishes. */
const bySchedule: Simulated[] = [1e6, 1e7].flatMap(users =>
  [1, 3].map(userUnits => ({ ...unit, users, userUnits })),
)

type Row = Record<string, number>

/** Removals on a virtual clock, under the limits of a new table, at 10 ms a call; a row of JSON each. */
export async function* measurePace(): AsyncGenerator<Row> {
  for (const simulated of byDeletes) yield await removed(simulated, false)
  for (const simulated of bySchedule) yield await removed(simulated, true)
}

/** @throws Error when a user is still linked, or not marked */
async function removed(simulated: Simulated, isScheduled: boolean): Promise<Row> {
  const clock = fakeClock()
  const { stores, used, throttled, pages, leastMs } = simulatedStores(clock, simulated)
  const startMs = clock.nowMs()
  const heapBytes = process.memoryUsage().heapUsed
  let heapMaxBytes = heapBytes
  let busyMs = 0
  const counts = { deletes: 0, runs: 0 }

  async function within(ms: number, work: (signal: AbortSignal) => Promise<unknown>) {
    const begunMs = clock.nowMs()
    const limit = timeLimit(clock, begunMs + ms, () => new Failure('wait_expired'))
    try {
      await work(limit.signal)
    } catch (error) {
      if ((error as Failure).code !== 'removal_unfinished') throw error
    } finally {
      limit.end()
      busyMs += clock.nowMs() - begunMs
      heapMaxBytes = Math.max(heapMaxBytes, process.memoryUsage().heapUsed)
    }
  }

  async function remove({ store, provider }: (typeof stores)[number]) {
    const ports = { store, clock, newId: () => 'removal', retentionMs: 7 * 86_400_000 }
    const log = () => {}
    do {
      counts.deletes += 1
      await within(requestMs, signal =>
        removeProvider(ports, provider(), { requestedBy: 'bench', log, signal }),
      )
    } while (!isScheduled && provider().state !== 'removed')
    while (provider().state !== 'removed') {
      counts.runs += 1
      clock.advance(startMs + counts.runs * everyMs - clock.nowMs())
      const run = { log, endsAtMs: clock.nowMs() + runMs }
      await within(runMs, signal => finishRemovals(ports, requestMs, { ...run, signal }))
    }
  }

  await clock.moving(Promise.all(stores.map(remove)))
  for (const { left } of stores)
    if (left().linked > 0 || left().marked < simulated.users) throw new Error('The removal is not complete.')
  const tookMs = clock.nowMs() - startMs
  const dollars = used.write * 0.625e-6 + used.read * 0.125e-6 + (busyMs / 1000) * 0.0000133334
  const heapMB = (heapMaxBytes - heapBytes) / 1e6
  const units = { readUnits: used.read, writeUnits: used.write, throttled: throttled.items }
  return { ...simulated, ...counts, tookMs, leastMs: leastMs(), ...units, pages: pages.read, dollars, heapMB }
}
