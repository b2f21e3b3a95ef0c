import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runOnSchedule } from '../../../infra/local/schedule.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const everyMs = 60_000

/** The schedule with fake functions whose runs the test settles. */
function scheduled() {
  const clock = fakeClock()
  const runs: PromiseWithResolvers<never>[] = []
  const lines: string[] = []
  const invoke = () => {
    const run = Promise.withResolvers<never>()
    runs.push(run)
    return run.promise
  }
  const stop = runOnSchedule({ invoke }, everyMs, clock, line => lines.push(line))
  return { clock, runs, lines, stop }
}

test('a scheduled function runs after each interval, one run at a time', async () => {
  const { clock, runs } = scheduled()
  clock.advance(everyMs - 1)
  expect(runs).toHaveLength(0)
  clock.advance(1)
  expect(runs).toHaveLength(1)
  clock.advance(10 * everyMs)
  expect(runs).toHaveLength(1)
  runs[0]?.resolve({} as never)
  await setImmediate()
  clock.advance(everyMs)
  expect(runs).toHaveLength(2)
})

test('a failed run is reported, and the next one runs', async () => {
  const { clock, runs, lines } = scheduled()
  clock.advance(everyMs)
  runs[0]?.reject(new Error('the table is gone'))
  await setImmediate()
  expect(lines).toEqual([expect.stringContaining('finishRemovals: the table is gone')])
  clock.advance(everyMs)
  expect(runs).toHaveLength(2)
})

test('nothing is scheduled after the stop, not even by a run that was active', async () => {
  const { clock, runs, stop } = scheduled()
  clock.advance(everyMs)
  stop()
  runs[0]?.resolve({} as never)
  await setImmediate()
  expect(clock.scheduled()).toBe(0)
})
