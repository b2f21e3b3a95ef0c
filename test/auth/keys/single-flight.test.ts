import { getEventListeners } from 'node:events'
import { beforeEach, expect, test } from 'vitest'
import { type SingleFlight, singleFlight } from '../../../lib/auth/keys/single-flight.ts'
import { abortable } from '../../../lib/time.ts'

const live = new AbortController().signal
const never = new Promise<void>(() => {})
let started: PromiseWithResolvers<void>[]
let shared: SingleFlight

beforeEach(() => {
  started = []
  shared = singleFlight(() => {
    const call = Promise.withResolvers<void>()
    started.push(call)
    return call.promise
  })
})

test('an aborted signal starts nothing', async () => {
  await expect(shared.join(AbortSignal.abort('reason'))).rejects.toBe('reason')
  expect(started).toHaveLength(0)
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

test('a failure is thrown to all callers', async () => {
  const both = [shared.join(live), shared.join(live)]
  started[0]?.reject(new Error('down'))
  for (const each of both) await expect(each).rejects.toThrow('down')
})

test('abortable rejects immediately when the signal has aborted', async () => {
  await expect(abortable(never, AbortSignal.abort('reason'))).rejects.toBe('reason')
})

test('abortable removes its listener', async () => {
  const { signal } = new AbortController()
  await abortable(Promise.resolve(), signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
