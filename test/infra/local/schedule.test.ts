import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runOnSchedule } from '../../../infra/local/schedule.ts'
import { fakeClock } from '../../support/fake-clock.ts'

test('a scheduled function runs after each interval, one run at a time, and none after the stop', async () => {
  const clock = fakeClock()
  const runs: PromiseWithResolvers<never>[] = []
  const lines: string[] = []
  const invoke = () => {
    const run = Promise.withResolvers<never>()
    runs.push(run)
    return run.promise
  }
  const everyMs = 60_000
  const stop = runOnSchedule(invoke, { everyMs, timeoutMs: 50_000 }, clock, line => lines.push(line))
  const runsAfter = async (ms: number) => {
    await setImmediate() // promises settle first
    clock.advance(ms)
    await setImmediate()
    return runs.length
  }
  expect(await runsAfter(everyMs - 1)).toBe(0)
  expect(await runsAfter(1)).toBe(1)
  expect(await runsAfter(10 * everyMs)).toBe(1)
  runs[0]?.reject(new Error('the table is gone'))
  expect(await runsAfter(everyMs)).toBe(2)
  expect(lines).toEqual([expect.stringContaining('finishRemovals: the table is gone')])
  stop()
  runs[1]?.resolve({} as never)
  expect(await runsAfter(everyMs)).toBe(2)
  expect(clock.scheduled()).toBe(0)
})
