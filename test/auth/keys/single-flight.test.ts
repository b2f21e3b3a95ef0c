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

test('who joins after the last has left starts anew, even if the call ignores its abortion', async () => {
  const stop = new AbortController()
  const leaving = shared.join(stop.signal)
  stop.abort('left')
  await expect(leaving).rejects.toBe('left')
  const next = shared.join(live)
  expect(started).toHaveLength(2)
  started[0]?.resolve()
  await started[0]?.promise
  expect(shared.running()).toBe(true)
  started[1]?.resolve()
  await next
  expect(shared.running()).toBe(false)
})

test('a call that starts while the waiters of the last one leave is shared as well', async () => {
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

test('a failure reaches everyone who waits', async () => {
  const both = [shared.join(live), shared.join(live)]
  started[0]?.reject(new Error('down'))
  for (const each of both) await expect(each).rejects.toThrow('down')
})

test('waiting ends at once when the signal has aborted already', async () => {
  await expect(abortable(never, AbortSignal.abort('reason'))).rejects.toBe('reason')
})

test('waiting leaves no listener behind', async () => {
  const { signal } = new AbortController()
  await abortable(Promise.resolve(), signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
