import { beforeEach, expect, test } from 'vitest'
import { singleFlight } from '../../../lib/auth/keys/single-flight.ts'
import { type KeyScenario, keyScenario, live, outage, settle } from './scenario.ts'

let keys: KeyScenario

beforeEach(() => {
  keys = keyScenario()
})

test('concurrent callers share one fetch', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => keys.found('a')))
  expect(outcomes.every(Boolean)).toBe(true)
  expect(keys.calls).toHaveLength(1)
})

test('concurrent unknown kids share two fetches, the second of which starts after all calls', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => keys.found(`unknown-${i}`)))
  expect(outcomes.some(Boolean)).toBe(false)
  expect(keys.calls).toHaveLength(2)
  keys.issuer = ['a', 'b']
  expect(await keys.found('b')).toBe(true)
})

test('a kid that is missing from an earlier fetch causes another one', async () => {
  keys.issuer = 'hanging'
  const first = keys.found('a')
  const second = keys.found('b')
  await settle()
  keys.issuer = ['a', 'b']
  keys.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  expect(await second).toBe(true)
  expect(keys.calls).toHaveLength(2)
})

test('a caller whose signal has aborted starts no fetch', async () => {
  await expect(keys.found('a', AbortSignal.abort('budget'))).rejects.toBe('budget')
  expect(keys.calls).toEqual([])
})

test('the abort of one caller does not fail the others', async () => {
  keys.issuer = 'hanging'
  const stop = new AbortController()
  const aborted = keys.found('a', stop.signal)
  const waiting = keys.found('a')
  await settle()
  stop.abort('budget')
  await expect(aborted).rejects.toBe('budget')
  expect(keys.calls[0]?.signal.aborted).toBe(false)
  keys.calls[0]?.answer(['a'])
  expect(await waiting).toBe(true)
})

test('a fetch is aborted when its last caller has aborted', async () => {
  keys.issuer = 'hanging'
  const stop = new AbortController()
  const aborted = [keys.found('a', stop.signal), keys.found('a', stop.signal)]
  await settle()
  stop.abort('budget')
  for (const each of aborted) await expect(each).rejects.toBe('budget')
  expect(keys.calls[0]?.signal.aborted).toBe(true)
  expect(keys.clock.scheduled()).toBe(0)
  keys.issuer = ['a']
  expect(await keys.found('a')).toBe(true)
})

test('the answer to an aborted fetch is ignored', async () => {
  keys.issuer = 'hanging'
  const stop = new AbortController()
  const aborted = keys.found('a', stop.signal)
  await settle()
  stop.abort('budget')
  await expect(aborted).rejects.toBe('budget')
  const next = keys.found('old')
  keys.calls[0]?.answer(['old'])
  await settle()
  const joining = keys.found('a')
  keys.calls[1]?.answer(['a'])
  expect([await next, await joining]).toEqual([false, true])
  expect(keys.calls).toHaveLength(2)
})

/** Calls that share a flight, and end when their test says so, whatever their signal. */
function flights() {
  const calls: PromiseWithResolvers<void>[] = []
  const shared = singleFlight(() => {
    const call = Promise.withResolvers<void>()
    calls.push(call)
    return call.promise
  })
  return { calls, shared }
}

test('a call that starts while the callers of the last one end is shared, too', async () => {
  const { calls, shared } = flights()
  const first = shared.join(live)
  calls[0]?.resolve()
  await calls[0]?.promise
  expect(shared.running()).toBe(false)
  const second = shared.join(live)
  await first
  expect(shared.running()).toBe(true)
  calls[1]?.resolve()
  await second
})

test('the end of a call that all have left does not end the next one', async () => {
  const { calls, shared } = flights()
  const stop = new AbortController()
  const left = shared.join(stop.signal)
  stop.abort('budget')
  await expect(left).rejects.toBe('budget')
  const next = shared.join(live)
  calls[0]?.resolve()
  await calls[0]?.promise
  expect(shared.running()).toBe(true)
  calls[1]?.resolve()
  await next
})

test('the warm-up shares its fetch with the first caller, and never throws', async () => {
  keys.issuer = 'hanging'
  const warming = keys.set.warm(live)
  const first = keys.found('a')
  await settle()
  keys.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  await warming
  expect(keys.calls).toHaveLength(1)
  keys.issuer = outage
  await keys.set.warm(live)
  await keys.set.warm(AbortSignal.abort())
})
