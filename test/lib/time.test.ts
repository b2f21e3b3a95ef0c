import { describe, expect, test } from 'vitest'
import { delay, systemClock } from '../../lib/time.ts'
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

test('the system clock calls back, immediately for a past instant, and not after a cancellation', async () => {
  const called: string[] = []
  const cancel = systemClock.schedule(systemClock.nowMs(), () => called.push('cancelled'))
  cancel()
  await new Promise<void>(resolve => systemClock.schedule(0, resolve))
  await new Promise<void>(resolve => systemClock.schedule(systemClock.nowMs() + 2, resolve))
  expect(called).toEqual([])
})
