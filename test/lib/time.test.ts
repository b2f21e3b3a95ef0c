import { describe, expect, test } from 'vitest'
import { delay, systemClock } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'

describe('delay', () => {
  test('ends when the time has come, not before', async () => {
    const clock = fakeClock()
    let awake = false
    const asleep = delay(clock, 100, new AbortController().signal).then(() => {
      awake = true
    })
    clock.advance(99)
    await Promise.resolve()
    expect(awake).toBe(false)
    clock.advance(1)
    await asleep
  })

  test('is cut short with the reason, and leaves no timer behind', async () => {
    const clock = fakeClock()
    const cut = new AbortController()
    const asleep = delay(clock, 100, cut.signal)
    cut.abort(new Error('enough'))
    await expect(asleep).rejects.toThrow('enough')
    expect(clock.scheduled()).toBe(0)
  })

  test('does not begin under a signal that has aborted', async () => {
    const clock = fakeClock()
    await expect(delay(clock, 100, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
    expect(clock.scheduled()).toBe(0)
  })
})

test('the system clock calls back, at once when the instant has passed, and not when cancelled', async () => {
  const called: string[] = []
  const cancel = systemClock.schedule(systemClock.nowMs(), () => called.push('cancelled'))
  cancel()
  await new Promise<void>(resolve => systemClock.schedule(0, resolve))
  await new Promise<void>(resolve => systemClock.schedule(systemClock.nowMs() + 2, resolve))
  expect(called).toEqual([])
})
