import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fakeClock } from './fake-clock.ts'

test('time does not jump after the moving work has ended', async () => {
  const clock = fakeClock(0)
  clock.schedule(10, () => {})
  await clock.moving(Promise.resolve())
  await setImmediate()
  expect(clock.nowMs()).toBe(0)
})
