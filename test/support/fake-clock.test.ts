import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { delay } from '../../lib/time.ts'
import { fakeClock } from './fake-clock.ts'

const never = new AbortController().signal
/** Takes a time that only the machine knows. */
const realWork = () => readFile(import.meta.filename)

test('the time stands still until it is advanced', async () => {
  const clock = fakeClock(0)
  let isCalled = false
  clock.schedule(1, () => {
    isCalled = true
  })
  await realWork()
  expect([clock.nowMs(), isCalled]).toEqual([0, false])
  clock.advance(1)
  expect([clock.nowMs(), isCalled]).toEqual([1, true])
})

test('pauses of moving work end in order, each at its time', async () => {
  const clock = fakeClock(0)
  const endedMs: number[] = []
  const pause = async (...pausesMs: number[]) => {
    for (const ms of pausesMs) {
      await delay(clock, ms, never)
      endedMs.push(clock.nowMs())
    }
  }
  await clock.moving(Promise.all([pause(50, 50), pause(70, 1e9)]))
  expect(endedMs).toEqual([50, 70, 100, 1e9 + 70])
})

test('the time stands still while work is frozen, but for a wait inside that is thawed', async () => {
  const clock = fakeClock(0)
  const frozen = clock.freeze(async () => {
    for (let i = 0; i < 10; i++) await realWork()
    const doneMs = clock.nowMs()
    await clock.thaw(() => delay(clock, 10, never))
    return [doneMs, clock.nowMs()]
  })
  const pause = delay(clock, 5, never).then(() => clock.nowMs())
  expect(await clock.moving(Promise.all([frozen, pause]))).toEqual([[0, 10], 5])
})

test('the time does not jump farther than it may', async () => {
  const clock = fakeClock(0, 10)
  clock.schedule(21, () => {})
  await clock.moving(delay(clock, 10, never))
  await clock.moving(realWork())
  expect(clock.nowMs()).toBe(10)
})

test('the time does not jump once the moving work is over', async () => {
  const clock = fakeClock(0)
  clock.schedule(10, () => {})
  await clock.moving(Promise.resolve())
  await realWork()
  expect(clock.nowMs()).toBe(0)
})
