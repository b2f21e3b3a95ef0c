import { expect, test } from 'vitest'
import { scheduled } from '../../lib/schedule.ts'
import { fakeClock } from '../support/fake-clock.ts'

test('a scheduled run has 5 s less than its function', async () => {
  const clock = fakeClock()
  const signals: AbortSignal[] = []
  let hasMs = 0
  const handle = scheduled({ clock, log: () => {} }, async ({ endsAtMs, signal }) => {
    hasMs = endsAtMs - clock.nowMs()
    signals.push(signal)
    clock.advance(signals.length === 1 ? 0 : hasMs)
    signal.throwIfAborted()
  })
  const run = async () => handle({}, { getRemainingTimeInMillis: () => 890_000 } as never)
  await run()
  expect([hasMs, signals[0]?.aborted]).toEqual([885_000, true])
  await expect(run()).rejects.toMatchObject({ code: 'wait_expired' })
})
