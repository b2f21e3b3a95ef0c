import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runOnSchedule } from '../../../infra/local/schedule.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const everyMs = 60_000
const timeoutMs = 50_000

/** The schedule with fake functions whose runs the test settles. */
function scheduled() {
  const clock = fakeClock()
  const runs: PromiseWithResolvers<never>[] = []
  const lines: string[] = []
  const invoke = (call: { timeoutMs: number }) => {
    expect(call.timeoutMs).toBe(timeoutMs)
    const run = Promise.withResolvers<never>()
    runs.push(run)
    return run.promise
  }
  const stop = runOnSchedule(invoke, { everyMs, timeoutMs }, clock, line => lines.push(line))
  const advance = async (ms: number) => {
    await setImmediate() // promises settle first
    clock.advance(ms)
    await setImmediate()
  }
  return { clock, advance, runs, lines, stop }
}

test('a scheduled function runs after each interval, one run at a time, and a failed one is reported', async () => {
  const { advance, runs, lines } = scheduled()
  await advance(everyMs - 1)
  expect(runs).toHaveLength(0)
  await advance(1)
  await advance(10 * everyMs)
  expect(runs).toHaveLength(1)
  runs[0]?.reject(new Error('the table is gone'))
  await advance(everyMs)
  expect(lines).toEqual([expect.stringContaining('finishRemovals: the table is gone')])
  expect(runs).toHaveLength(2)
})

test('nothing is scheduled after the stop, not even by a run that was active', async () => {
  const { clock, advance, runs, stop } = scheduled()
  await advance(everyMs)
  stop()
  runs[0]?.resolve({} as never)
  await setImmediate()
  expect(clock.scheduled()).toBe(0)
})
