import { beforeEach, expect, test } from 'vitest'
import { timeLimit } from '../../../lib/time.ts'
import {
  failed,
  logOf,
  outage,
  scenario,
  settle,
  tookTooLong,
  unavailable,
  withoutThisKey,
} from './scenario.ts'

let keys: ReturnType<typeof scenario>

beforeEach(() => {
  keys = scenario()
})

test('known keys are used until five minutes after the start of the last fetch', async () => {
  keys.issuer = 'hanging'
  const first = keys.found('a')
  keys.clock.advance(2_000)
  keys.fetches[0]?.answer(['a'])
  expect(await first).toBe(true)
  keys.issuer = ['b']
  keys.clock.advance(297_999)
  expect(await keys.found('a')).toBe(true)
  keys.clock.advance(1)
  expect(await keys.found('a')).toBe(false)
  expect(await keys.found('b')).toBe(true)
  expect(keys.fetches).toHaveLength(2)
})

test('known keys are used for a day of an issuer that cannot be reached', async () => {
  await keys.found('a')
  keys.issuer = outage
  keys.clock.advance(86_399_999)
  expect(await keys.found('a')).toBe(true)
  keys.clock.advance(1)
  await expect(keys.found('a')).rejects.toMatchObject({ cause: { message: failed() } })
})

test('known keys are used at once while the next fetch runs beside', async () => {
  await keys.found('a')
  keys.issuer = 'hanging'
  keys.clock.advance(300_000)
  expect(await keys.clock.moving(keys.found('a'))).toBe(true)
  keys.clock.advance(7_000)
  expect([await keys.found('a'), await keys.found('a')]).toEqual([true, true])
  expect(keys.fetches).toHaveLength(3)
  keys.fetches[2]?.answer(['b'])
  await settle()
  await expect(keys.found('a')).rejects.toMatchObject(unavailable(withoutThisKey))
  expect(keys.logged).toEqual([logOf(tookTooLong)])
})

test.each([
  [299_999, true],
  [300_000, false],
])('known keys are used at once until %i ms after a failure: %s', async (afterMs, isUsed) => {
  await keys.found('a')
  keys.issuer = outage
  keys.clock.advance(300_000)
  await keys.found('a')
  keys.issuer = ['b']
  keys.clock.advance(afterMs)
  expect(await keys.found('a')).toBe(isUsed)
})

test('known keys are all withdrawn by a set without a usable key', async () => {
  await keys.found('a')
  keys.issuer = []
  keys.clock.advance(300_000)
  expect(await keys.found('a')).toBe(false)
  await expect(keys.found('a')).rejects.toMatchObject(unavailable(withoutThisKey))
  expect(keys.logged).toEqual([])
  keys.issuer = outage
  keys.clock.advance(10_000)
  await expect(keys.found('a')).rejects.toMatchObject(unavailable(failed()))
})

test('a fetch of keys begins once in ten seconds, whoever asks', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => keys.found(`new-${i}`)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', ...Array(49).fill('rejected')])
  keys.issuer = ['a', 'b']
  for (let second = 0; second < 10; second++) {
    expect(await keys.foundWithin(300, 'b')).toMatchObject(unavailable(withoutThisKey))
    expect(await keys.found('a')).toBe(true)
    keys.clock.advance(1_000)
  }
  expect(keys.fetches).toHaveLength(1)
  expect(await keys.found('b')).toBe(true)
  expect(keys.fetches).toHaveLength(2)
})

test('a failed fetch of keys answers all callers of its ten seconds', async () => {
  keys.issuer = outage
  for (const each of [keys.found('a'), keys.found('b')])
    await expect(each).rejects.toMatchObject(unavailable(failed()))
  keys.issuer = ['a']
  keys.clock.advance(9_999)
  await expect(keys.found('a')).rejects.toMatchObject(unavailable(failed()))
  keys.clock.advance(1)
  expect(await keys.found('a')).toBe(true)
  expect(keys.logged).toEqual([logOf()])
})

test('a fetch of keys goes on when a caller with less time leaves', async () => {
  keys.issuer = 'hanging'
  for (let i = 0; i < 9; i++) expect(await keys.foundWithin(300, 'a')).toBe('budget')
  expect(keys.fetches.map(({ signal }) => signal.aborted)).toEqual([false])
  const next = keys.found('a')
  keys.fetches[0]?.answer(['a'])
  expect(await next).toBe(true)
  expect(keys.logged).toEqual([])
  expect(keys.clock.scheduled()).toBe(0)
})

test('a fetch of keys is not begun by a caller whose time is over by the clock', async () => {
  const limit = timeLimit(keys.clock, keys.clock.nowMs() + 1_000, () => 'budget')
  keys.clock.suspend(1_000)
  await expect(keys.found('a', limit.signal)).rejects.toBe('budget')
  expect(keys.fetches).toEqual([])
})

test('keys that were fetched when the clock was ahead are fetched again', async () => {
  keys.clock.step(86_400_000)
  await keys.found('a')
  keys.clock.step(-86_400_000)
  keys.issuer = ['b']
  expect(await keys.found('a')).toBe(false)
})

test('the warm-up leaves its fetch to the first caller when its time is over', async () => {
  keys.issuer = 'hanging'
  const stop = new AbortController()
  const warming = keys.warm(stop.signal)
  stop.abort('the warm-up took too long')
  await warming
  await keys.warm(stop.signal)
  const first = keys.found('a')
  keys.fetches[0]?.answer(['a'])
  expect(await first).toBe(true)
  expect(keys.fetches).toHaveLength(1)
})

test('a warm-up that fails lets the first caller begin the next fetch at once', async () => {
  keys.issuer = outage
  await keys.warm()
  keys.issuer = ['a']
  expect(await keys.found('a')).toBe(true)
  expect(keys.logged).toEqual([logOf()])
})
