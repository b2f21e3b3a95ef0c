import { getEventListeners } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { abortable, leftMs, systemClock, throwIfOver, timeLimit } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'

test('an abortable wait leaves no listener', async () => {
  const never = new Promise<never>(() => {})
  await expect(abortable(never, AbortSignal.abort('reason'))).rejects.toBe('reason')
  const { signal } = new AbortController()
  await abortable(Promise.resolve(), signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('the system clock does not call back after a cancellation', async () => {
  const called: string[] = []
  const cancel = systemClock.schedule(systemClock.nowMs(), () => called.push('cancelled'))
  cancel()
  await new Promise<void>(resolve => systemClock.schedule(0, resolve))
  await new Promise<void>(resolve => systemClock.schedule(systemClock.nowMs() + 2, resolve))
  expect(called).toEqual([])
})

test('the elapsed time of the system clock is not that of the wall clock', () => {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
  const beganMs = systemClock.elapsedMs()
  vi.setSystemTime(0)
  expect(systemClock.nowMs()).toBe(0)
  expect(systemClock.elapsedMs()).toBeGreaterThanOrEqual(beganMs)
})

const over = () => new Error('over')

test('a time limit aborts at the time to which it was moved', () => {
  const clock = fakeClock()
  const limit = timeLimit(clock, clock.nowMs() + 10, over)
  limit.move(clock.nowMs() + 20, () => new Error('late'))
  clock.advance(19)
  expect(limit.signal.aborted).toBe(false)
  clock.advance(1)
  expect(limit.signal.reason).toEqual(new Error('late'))
  timeLimit(clock, clock.nowMs() + 10, over).end()
  expect(clock.scheduled()).toBe(0)
})

test('a time limit lets nothing begin after its time although timers are late', () => {
  const clock = fakeClock()
  const outer = timeLimit(clock, clock.nowMs() + 10, over)
  const inner = timeLimit(clock, clock.nowMs() + 20, over, outer.signal)
  clock.suspend(9)
  for (const { signal } of [outer, inner]) throwIfOver(signal)
  clock.suspend(1)
  for (const { signal } of [inner, outer]) {
    expect(() => throwIfOver(signal)).toThrow('over')
    expect(signal.aborted).toBe(true)
  }
})

test('a time limit says how much time is left by the clock', () => {
  const clock = fakeClock()
  const outer = timeLimit(clock, clock.nowMs() + 10, over)
  const inner = timeLimit(clock, clock.nowMs() + 20, over, outer.signal)
  clock.advance(3)
  expect([outer, inner].map(({ signal }) => leftMs(signal))).toEqual([7, 7])
  outer.move(clock.nowMs() + 30, over)
  expect([outer, inner].map(({ signal }) => leftMs(signal))).toEqual([30, 17])
  expect(leftMs(new AbortController().signal)).toBe(Number.POSITIVE_INFINITY)
})

test('a time limit ends with the limit around it', () => {
  const clock = fakeClock()
  const { signal } = timeLimit(clock, clock.nowMs() + 20, over, AbortSignal.abort(new Error('ended')))
  expect(() => throwIfOver(signal)).toThrow('ended')
})
