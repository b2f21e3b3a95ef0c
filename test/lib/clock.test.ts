import { describe, expect, test } from 'vitest'
import { sleep, systemClock } from '../../lib/clock.ts'
import { fakeClock } from '../fake-clock.ts'

describe('sleep', () => {
  test('ends when the time has come, not before', async () => {
    const clock = fakeClock()
    let awake = false
    const asleep = sleep(clock, 100, new AbortController().signal).then(() => {
      awake = true
    })
    clock.advance(99)
    await Promise.resolve()
    expect(awake).toBe(false)
    clock.advance(1)
    await asleep
  })

  test('is cut short with the reason, and leaves no alarm behind', async () => {
    const clock = fakeClock()
    const cut = new AbortController()
    const asleep = sleep(clock, 100, cut.signal)
    cut.abort(new Error('enough'))
    await expect(asleep).rejects.toThrow('enough')
    expect(clock.alarms()).toBe(0)
  })

  test('does not begin under a signal that has aborted', async () => {
    const clock = fakeClock()
    await expect(sleep(clock, 100, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
    expect(clock.alarms()).toBe(0)
  })
})

test('the system clock rings, at once when the instant has passed, and not when silenced', async () => {
  const rung: string[] = []
  const silence = systemClock.alarm(systemClock.nowMs(), () => rung.push('silenced'))
  silence()
  await new Promise<void>(ring => systemClock.alarm(0, ring))
  await new Promise<void>(ring => systemClock.alarm(systemClock.nowMs() + 2, ring))
  expect(rung).toEqual([])
})
