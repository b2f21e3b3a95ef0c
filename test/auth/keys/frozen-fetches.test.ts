import { beforeEach, describe, expect, test } from 'vitest'
import { logOf, scenario, settle, tookTooLong } from './scenario.ts'

let keys: ReturnType<typeof scenario>

test('a caller with wait=4 gets known keys while the issuer hangs and each answer freezes the environment', async () => {
  keys = scenario()
  await keys.found('a')
  keys.issuer = 'hanging'
  keys.clock.advance(600_000)
  for (let calls = 0; calls < 120; calls++) {
    expect(await keys.foundWithin(4_000 - 150, 'a')).toBe(true)
    keys.clock.suspend(30_000)
  }
  expect(keys.logged).toEqual(Array(12).fill(logOf(tookTooLong)))
})

describe('a fetch that was frozen with the environment', () => {
  beforeEach(async () => {
    keys = scenario()
    keys.issuer = 'hanging'
    expect(await keys.foundWithin(300, 'old')).toBe('budget')
  })

  test('is dropped by the next caller, and its end changes nothing', async () => {
    keys.clock.suspend(3_200)
    const next = keys.found('a')
    await settle()
    expect(keys.fetches).toHaveLength(2)
    keys.fetches[0]?.answer(['old'])
    await settle()
    const joining = keys.found('a')
    expect(keys.fetches).toHaveLength(2)
    keys.fetches[1]?.answer(['a'])
    expect([await next, await joining]).toEqual([true, true])
    expect(keys.logged).toEqual([])
  })

  test.each([
    [3_199, [logOf(tookTooLong)]],
    [3_200, []],
  ])('and ends %i ms later is logged as %j', async (ms, logged) => {
    keys.clock.suspend(ms)
    keys.clock.advance(0)
    await settle()
    expect(keys.logged).toEqual(logged)
  })

  test('is followed by one of the caller who waits for it', async () => {
    const waiting = keys.found('a')
    keys.clock.suspend(3_500)
    keys.fetches[0]?.answer(['old'])
    await settle()
    expect(keys.fetches).toHaveLength(2)
    keys.fetches[1]?.answer(['a'])
    expect(await waiting).toBe(true)
  })
})
