import { beforeEach, expect, test } from 'vitest'
import { singleFlight } from '../../../lib/auth/keys/single-flight.ts'

const live = new AbortController().signal
let started: PromiseWithResolvers<void>[]
let shared: ReturnType<typeof singleFlight>

beforeEach(() => {
  started = []
  shared = singleFlight(() => {
    const call = Promise.withResolvers<void>()
    started.push(call)
    return call.promise
  })
})

test('a caller after the last one has aborted starts a new call, even if the old one ignores its abort', async () => {
  const stop = new AbortController()
  const aborted = shared.join(stop.signal)
  stop.abort('left')
  await expect(aborted).rejects.toBe('left')
  const next = shared.join(live)
  expect(started).toHaveLength(2)
  started[0]?.resolve()
  await started[0]?.promise
  expect(shared.running()).toBe(true)
  started[1]?.resolve()
  await next
  expect(shared.running()).toBe(false)
})

test('a call that starts while the callers of the last one end is shared, too', async () => {
  const first = shared.join(live)
  started[0]?.resolve()
  while (shared.running()) await Promise.resolve()
  const second = shared.join(live)
  await first
  expect(shared.running()).toBe(true)
  started[1]?.resolve()
  await second
  expect(started).toHaveLength(2)
})
