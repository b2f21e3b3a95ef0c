import { beforeEach, describe, expect, test } from 'vitest'
import { timeLimit } from '../../../lib/time.ts'
import {
  failed,
  logOf,
  outage,
  scenario,
  settle,
  tookTooLong,
  unavailableFor,
  withoutThisKey,
} from './scenario.ts'

let keys: ReturnType<typeof scenario>

beforeEach(() => {
  keys = scenario()
})

describe('known keys', () => {
  test('are used until five minutes after the start of the last fetch', async () => {
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

  test('are used for a day of an issuer that cannot be reached', async () => {
    await keys.found('a')
    keys.issuer = outage
    keys.clock.advance(86_399_999)
    expect(await keys.found('a')).toBe(true)
    keys.clock.advance(1)
    await expect(keys.found('a')).rejects.toMatchObject({ cause: { message: failed() } })
  })

  test('are used at once while fetches fail, and the next fetch runs beside', async () => {
    await keys.found('a')
    keys.issuer = 'hanging'
    keys.clock.advance(300_000)
    expect(await keys.clock.moving(keys.found('a'))).toBe(true)
    keys.clock.advance(7_000)
    expect([await keys.found('a'), await keys.found('a')]).toEqual([true, true])
    expect(keys.fetches).toHaveLength(3)
    keys.fetches[2]?.answer(['b'])
    await settle()
    await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(10, withoutThisKey))
    expect(keys.logged).toEqual([logOf(tookTooLong)])
  })

  test.each([
    [299_999, true],
    [300_000, false],
  ])('are used at once until %i ms after a failure: %s', async (afterMs, isUsed) => {
    await keys.found('a')
    keys.issuer = outage
    keys.clock.advance(300_000)
    await keys.found('a')
    keys.issuer = ['b']
    keys.clock.advance(afterMs)
    expect(await keys.found('a')).toBe(isUsed)
  })

  test('are all withdrawn by a set without a usable key, which is an answer', async () => {
    await keys.found('a')
    keys.issuer = []
    keys.clock.advance(300_000)
    expect(await keys.found('a')).toBe(false)
    await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(10, withoutThisKey))
    expect(keys.logged).toEqual([])
    keys.issuer = outage
    keys.clock.advance(10_000)
    await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(10, failed()))
  })
})

describe('a fetch', () => {
  test('begins once in ten seconds, whoever asks', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => keys.found(`new-${i}`)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', ...Array(49).fill('rejected')])
    keys.issuer = ['a', 'b']
    for (let second = 0; second < 10; second++) {
      const refusal = unavailableFor(10 - second, withoutThisKey)
      expect(await keys.foundWithin(300, 'b')).toMatchObject(refusal)
      expect(await keys.found('a')).toBe(true)
      keys.clock.advance(1_000)
    }
    expect(keys.fetches).toHaveLength(1)
    expect(await keys.found('b')).toBe(true)
    expect(keys.fetches).toHaveLength(2)
  })

  test('that fails is logged once, and answers all callers of its ten seconds', async () => {
    keys.issuer = outage
    const refusal = unavailableFor(10, failed())
    for (const each of [keys.found('a'), keys.found('b')]) await expect(each).rejects.toMatchObject(refusal)
    keys.issuer = ['a']
    keys.clock.advance(9_999)
    await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(1, failed()))
    keys.clock.advance(1)
    expect(await keys.found('a')).toBe(true)
    expect(keys.logged).toEqual([logOf()])
  })

  test('goes on when a caller with less time leaves, and the next one finds the keys', async () => {
    keys.issuer = 'hanging'
    for (let i = 0; i < 9; i++) expect(await keys.foundWithin(300, 'a')).toBe('budget')
    expect(keys.fetches.map(({ signal }) => signal.aborted)).toEqual([false])
    const next = keys.found('a')
    keys.fetches[0]?.answer(['a'])
    expect(await next).toBe(true)
    expect(keys.logged).toEqual([])
    expect(keys.clock.scheduled()).toBe(0)
  })

  test('is not begun by a caller whose time is over by the clock', async () => {
    const limit = timeLimit(keys.clock, keys.clock.nowMs() + 1_000, () => 'budget')
    keys.clock.suspend(1_000)
    await expect(keys.found('a', limit.signal)).rejects.toBe('budget')
    expect(keys.fetches).toEqual([])
  })

  test('of a time when the clock was ahead counts no more', async () => {
    keys.clock.step(86_400_000)
    await keys.found('a')
    keys.clock.step(-86_400_000)
    keys.issuer = ['b']
    expect(await keys.found('a')).toBe(false)
  })
})

describe('the warm-up', () => {
  test('shares its fetch with the first caller, and leaves it when its time is over', async () => {
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

  test('that fails is logged, and the first caller begins the next fetch at once', async () => {
    keys.issuer = outage
    await keys.warm()
    keys.issuer = ['a']
    expect(await keys.found('a')).toBe(true)
    expect(keys.logged).toEqual([logOf()])
  })
})
