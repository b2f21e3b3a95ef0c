import { beforeEach, expect, test } from 'vitest'
import { type KeyScenario, keyScenario, live, outage, settle, unavailable } from './scenario.ts'

let at: KeyScenario

beforeEach(() => {
  at = keyScenario()
})

test('a fetch is aborted after five seconds', async () => {
  at.issuer = 'hanging'
  const outcome = at.found('a')
  await settle()
  at.clock.advance(4_999)
  await settle()
  expect(at.calls[0]?.signal.aborted).toBe(false)
  at.clock.advance(1)
  await expect(outcome).rejects.toMatchObject(unavailable)
  expect(at.calls[0]?.signal.aborted).toBe(true)
  expect(at.clock.scheduled()).toBe(0)
})

test('concurrent callers share one fetch', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => at.found('a')))
  expect(outcomes.every(Boolean)).toBe(true)
  expect(at.calls).toHaveLength(1)
})

test('concurrent unknown kids share two fetches, the second of which starts after all calls', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => at.found(`unknown-${i}`)))
  expect(outcomes.some(Boolean)).toBe(false)
  expect(at.calls).toHaveLength(2)
})

test('a kid that is missing from an earlier fetch causes another one', async () => {
  at.issuer = 'hanging'
  const first = at.found('a')
  const second = at.found('b')
  await settle()
  at.issuer = ['a', 'b']
  at.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  expect(await second).toBe(true)
  expect(at.calls).toHaveLength(2)
})

test('the abort of one caller does not fail the others', async () => {
  at.issuer = 'hanging'
  const stop = new AbortController()
  const aborted = at.found('a', stop.signal)
  const waiting = at.found('a')
  await settle()
  stop.abort('budget')
  await expect(aborted).rejects.toBe('budget')
  expect(at.calls[0]?.signal.aborted).toBe(false)
  at.calls[0]?.answer(['a'])
  expect(await waiting).toBe(true)
})

test('a fetch is aborted when its last caller has aborted', async () => {
  at.issuer = 'hanging'
  const stop = new AbortController()
  const aborted = [at.found('a', stop.signal), at.found('a', stop.signal)]
  await settle()
  stop.abort('budget')
  for (const each of aborted) await expect(each).rejects.toBe('budget')
  expect(at.calls[0]?.signal.aborted).toBe(true)
  expect(at.clock.scheduled()).toBe(0)
  at.issuer = ['a']
  expect(await at.found('a')).toBe(true)
})

test('the answer to an aborted fetch is ignored', async () => {
  at.issuer = 'hanging'
  const stop = new AbortController()
  const aborted = at.found('a', stop.signal)
  await settle()
  stop.abort('budget')
  await expect(aborted).rejects.toBe('budget')
  at.calls[0]?.answer(['old'])
  await settle()
  at.issuer = outage
  await expect(at.found('old')).rejects.toMatchObject(unavailable)
})

test('the warm-up shares its fetch with the first caller, and never throws', async () => {
  at.issuer = 'hanging'
  const warming = at.set.warm(live)
  const first = at.found('a')
  await settle()
  at.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  await warming
  expect(at.calls).toHaveLength(1)
  at.issuer = outage
  await at.set.warm(live)
  await at.set.warm(AbortSignal.abort())
})
