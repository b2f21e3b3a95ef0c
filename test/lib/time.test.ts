import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { abortable, delay, systemClock, throwIfOver, timeLimit } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'

describe('delay', () => {
  test('ends at its time, not before', async () => {
    const clock = fakeClock()
    let ended = false
    const waiting = delay(clock, 100, new AbortController().signal).then(() => {
      ended = true
    })
    clock.advance(99)
    await Promise.resolve()
    expect(ended).toBe(false)
    clock.advance(1)
    await waiting
  })

  test("rejects with the signal's reason when it aborts, and removes its timer", async () => {
    const clock = fakeClock()
    const controller = new AbortController()
    const waiting = delay(clock, 100, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(clock.scheduled()).toBe(0)
  })

  test('sets no timer when the signal has aborted', async () => {
    const clock = fakeClock()
    await expect(delay(clock, 100, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
    expect(clock.scheduled()).toBe(0)
  })
})

test('abortable rejects immediately when the signal has aborted, and removes its listener', async () => {
  const never = new Promise<void>(() => {})
  await expect(abortable(never, AbortSignal.abort('reason'))).rejects.toBe('reason')
  const { signal } = new AbortController()
  await abortable(Promise.resolve(), signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('the system clock calls back, immediately for a past instant, and not after a cancellation', async () => {
  const called: string[] = []
  const cancel = systemClock.schedule(systemClock.nowMs(), () => called.push('cancelled'))
  cancel()
  await new Promise<void>(resolve => systemClock.schedule(0, resolve))
  await new Promise<void>(resolve => systemClock.schedule(systemClock.nowMs() + 2, resolve))
  expect(called).toEqual([])
})

describe('a time limit', () => {
  const over = () => new Error('over')

  /** A clock whose timers are late, as after the process was frozen. */
  function frozenClock() {
    const clock = fakeClock()
    let nowMs = clock.nowMs()
    return {
      ...clock,
      nowMs: () => nowMs,
      freeze(ms: number) {
        nowMs += ms
      },
    }
  }

  test('aborts at its time', () => {
    const clock = fakeClock()
    const { signal } = timeLimit(clock, clock.nowMs() + 10, over)
    clock.advance(9)
    expect(signal.aborted).toBe(false)
    clock.advance(1)
    expect(signal.reason).toEqual(over())
  })

  test('lets nothing begin after its time, although its timer is late', () => {
    const clock = frozenClock()
    const { signal } = timeLimit(clock, clock.nowMs() + 10, over)
    clock.freeze(9)
    throwIfOver(signal)
    clock.freeze(1)
    expect(() => throwIfOver(signal)).toThrow('over')
    expect(signal.aborted).toBe(true)
  })

  test('that is within another ends with it, and after its time, although both timers are late', () => {
    const clock = frozenClock()
    const outer = timeLimit(clock, clock.nowMs() + 10, over)
    const inner = timeLimit(clock, clock.nowMs() + 20, over, outer.signal)
    clock.freeze(10)
    expect(() => throwIfOver(inner.signal)).toThrow('over')
    const ended = timeLimit(clock, clock.nowMs() + 20, over, AbortSignal.abort(new Error('ended')))
    expect(() => throwIfOver(ended.signal)).toThrow('ended')
  })

  test('that is moved aborts at the new time alone, and one that has ended has no timer', () => {
    const clock = fakeClock()
    const limit = timeLimit(clock, clock.nowMs() + 10, over)
    limit.move(clock.nowMs() + 20, () => new Error('late'))
    clock.advance(10)
    throwIfOver(limit.signal)
    clock.advance(10)
    expect(() => throwIfOver(limit.signal)).toThrow('late')
    timeLimit(clock, clock.nowMs() + 10, over).end()
    expect(clock.scheduled()).toBe(0)
  })
})

test('time does not jump after the moving work has ended', async () => {
  const clock = fakeClock(0)
  clock.schedule(10, () => {})
  await clock.moving(Promise.resolve())
  await setImmediate()
  expect(clock.nowMs()).toBe(0)
})
