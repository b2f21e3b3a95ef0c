import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import type { Log } from '../../lib/log.ts'
import { finishRemovals } from '../../lib/removal/finish-removals.ts'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import { timeLimit } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { largeProvider } from './large-provider.ts'

const requestMs = 27_850
/** The defaults of the scheduled function: its interval, and its time without the reserve for its last log line. */
const everyMs = 900_000
const runMs = 885_000

const isFull = Boolean(process.env.TEST_FULL)
const large: [users: number, units: number][] = [1e6, 1e7].flatMap(users =>
  [1, 3].map(units => [users, units]),
)

test.each<[number, number]>([[60_000, 1], ...(isFull ? large : [])])(
  'a removal of %i users with %i write units, begun by a DELETE, is finished by the scheduled function',
  async (users, userUnits) => {
    const clock = fakeClock()
    const { store, used, pages, provider, left } = largeProvider(clock, users, userUnits)
    const ports = { store, clock, newId: () => 'removal', retentionMs: 7 * 86_400_000 }
    const log: Log = () => {}
    const startMs = clock.nowMs()
    const heapBytes = process.memoryUsage().heapUsed
    let heapMaxBytes = heapBytes
    let busyMs = 0

    /** @returns the result, or the error */
    async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>) {
      const begunMs = clock.nowMs()
      const limit = timeLimit(clock, begunMs + ms, () => new Failure('wait_expired'))
      const result = await clock.moving(work(limit.signal)).catch((error: unknown) => error)
      limit.end()
      busyMs += clock.nowMs() - begunMs
      heapMaxBytes = Math.max(heapMaxBytes, process.memoryUsage().heapUsed)
      return result
    }

    const active = provider()
    const context = { requestedBy: 'test', log }
    const answer = await within(requestMs, signal => removeProvider(ports, active, { ...context, signal }))
    expect(answer).toMatchObject({ code: 'removal_unfinished', facts: { affectedTotal: users } })
    let runs = 0
    while (provider().state === 'removing') {
      runs += 1
      clock.advance(startMs + runs * everyMs - clock.nowMs())
      const run = { log, endsAtMs: clock.nowMs() + runMs }
      expect(
        await within(runMs, signal => finishRemovals(ports, requestMs, { ...run, signal })),
      ).toBeUndefined()
    }
    const hours = (clock.nowMs() - startMs) / 3_600_000
    const dollars = used.write * 0.625e-6 + used.read * 0.125e-6 + (busyMs / 1000) * 0.0000133334
    const row = { users, userUnits, runs, hours, ...used, dollars, heapMB: (heapMaxBytes - heapBytes) / 1e6 }
    if (isFull) process.stdout.write(`${JSON.stringify(row)}\n`)

    expect(left()).toEqual({ linked: 0, marked: users })
    // The memberships and a quarter of the users share a partition of 1,000 units a second.
    const leastMs = users * (1 + userUnits / 4)
    expect(busyMs, 'pace').toBeLessThan(1.1 * leastMs + pages.read * pages.readMs + 5000)
    // Each attempt begins at the first page.
    expect(pages.read, 'pages read').toBeLessThanOrEqual((pages.ofMarked + 1) * (1 + runs))
    if (users === 1e7 && userUnits === 1) expect(hours, 'hours').toBeLessThan(4.5)
    expect(heapMaxBytes - heapBytes, 'heap').toBeLessThan(200e6)
  },
  600_000,
)
