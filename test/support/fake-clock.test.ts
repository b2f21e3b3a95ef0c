import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { delay } from '../../lib/time.ts'
import { fakeClock } from './fake-clock.ts'

const never = new AbortController().signal
/** Takes an unknown real time. */
const realWork = () => readFile(import.meta.filename)

test('time does not pass until it is advanced', async () => {
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

test('time does not pass during frozen work, except for a thawed wait in it', async () => {
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

test('time does not jump farther than the maximum', async () => {
  const clock = fakeClock(0, 10)
  clock.schedule(21, () => {})
  await clock.moving(delay(clock, 10, never))
  await clock.moving(realWork())
  expect(clock.nowMs()).toBe(10)
})

test('time does not jump after the moving work has ended', async () => {
  const clock = fakeClock(0)
  clock.schedule(10, () => {})
  await clock.moving(Promise.resolve())
  await realWork()
  expect(clock.nowMs()).toBe(0)
})
