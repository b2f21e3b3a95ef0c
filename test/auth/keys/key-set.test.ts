import { beforeEach, expect, test } from 'vitest'
import {
  type KeyScenario,
  impatientCaller,
  keyScenario,
  live,
  outage,
  settle,
  unavailableFor,
} from './scenario.ts'

let keys: KeyScenario

beforeEach(() => {
  keys = keyScenario()
})

test('a withdrawn key is used until the keys are five minutes old', async () => {
  expect(await keys.found('a')).toBe(true)
  keys.issuer = ['b']
  keys.clock.advance(299_999)
  expect(await keys.found('a')).toBe(true)
  keys.clock.advance(1)
  expect(await keys.found('a')).toBe(false)
  expect(await keys.found('b')).toBe(true)
  expect(keys.calls).toHaveLength(2)
})

test.each([1, 3_600_000])(
  'keys that were fetched while the clock was %i ms ahead are fetched again',
  async aheadMs => {
    keys.clock.step(aheadMs)
    await keys.found('a')
    keys.clock.step(-aheadMs)
    keys.issuer = ['b']
    expect(await keys.found('a')).toBe(false)
  },
)

test('the age of keys counts from the start of their fetch', async () => {
  keys.issuer = 'hanging'
  const first = keys.found('a')
  keys.clock.advance(4_000)
  keys.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  keys.issuer = ['a']
  keys.clock.advance(296_000)
  await keys.found('a')
  expect(keys.calls).toHaveLength(2)
})

test('a key is found by the caller whose fetch takes longer than keys may be old', async () => {
  keys = keyScenario({ keysMaxAgeSeconds: 1, keysStaleMaxSeconds: 1 })
  keys.issuer = 'hanging'
  const first = keys.found('a')
  keys.clock.advance(2_000)
  keys.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
})

test('a known key is used during an outage for one day', async () => {
  await keys.found('a')
  keys.issuer = outage
  keys.clock.advance(86_399_999)
  expect(await keys.found('a')).toBe(true)
  keys.clock.advance(1)
  await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(55))
})

test('of concurrent unknown kids, one causes a fetch', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => keys.found(`unknown-${i}`)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', ...Array(49).fill('rejected')])
  expect(keys.calls).toHaveLength(1)
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

test('a caller who waits for the fetch of another one can leave it', async () => {
  keys.issuer = 'hanging'
  const first = keys.found('a')
  expect(await impatientCaller(keys, 'a')).toBe('budget')
  keys.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  expect(keys.calls).toHaveLength(1)
})

test('a fetch ends with the caller who began it', async () => {
  keys.issuer = 'hanging'
  const leaving = impatientCaller(keys, 'a')
  const waiting = [keys.found('a'), keys.found('a')]
  expect(await leaving).toBe('budget')
  expect(keys.calls[0]?.signal.aborted).toBe(true)
  await settle()
  keys.calls[1]?.answer(['a'])
  expect(await Promise.all(waiting)).toEqual([true, true])
  expect(keys.calls).toHaveLength(2)
  expect(keys.clock.scheduled()).toBe(0)
})

test('the answer to an aborted fetch is ignored', async () => {
  keys.issuer = 'hanging'
  expect(await impatientCaller(keys, 'old')).toBe('budget')
  const next = keys.found('old')
  keys.calls[0]?.answer(['old'])
  await settle()
  keys.calls[1]?.answer(['a'])
  expect(await next).toBe(false)
})

test('the warm-up shares its fetch with the first caller', async () => {
  keys.issuer = 'hanging'
  const warming = keys.set.warm(live)
  const first = keys.found('a')
  await settle()
  await keys.set.warm(live)
  keys.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  await warming
  expect(keys.calls).toHaveLength(1)
})

test('a failed warm-up begins no pause', async () => {
  keys.issuer = outage
  await keys.set.warm(live)
  keys.issuer = 'hanging'
  await keys.set.warm(AbortSignal.abort())
  keys.issuer = ['b']
  expect(await keys.found('a')).toBe(false)
})
