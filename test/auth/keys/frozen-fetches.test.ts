import { beforeEach, describe, expect, test } from 'vitest'
import { logOf, scenario, settle, tookTooLong } from './scenario.ts'

let keys: ReturnType<typeof scenario>

describe('a fetch that was frozen with the environment', () => {
  beforeEach(async () => {
    keys = scenario()
    keys.issuer = 'hanging'
    expect(await keys.foundWithin(300, 'old')).toBe('budget')
  })

  test('is dropped by the next caller, and its end changes nothing', async () => {
    keys.clock.suspend(4_700)
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
    [4_699, [logOf(tookTooLong)]],
    [4_700, []],
  ])('and ends %i ms later is logged as %j', async (ms, logged) => {
    keys.clock.suspend(ms)
    keys.clock.advance(0)
    await settle()
    expect(keys.logged).toEqual(logged)
  })

  test('is followed by one of the caller who waits for it', async () => {
    const waiting = keys.found('a')
    keys.clock.suspend(5_000)
    keys.fetches[0]?.answer(['old'])
    await settle()
    expect(keys.fetches).toHaveLength(2)
    keys.fetches[1]?.answer(['a'])
    expect(await waiting).toBe(true)
  })
})
