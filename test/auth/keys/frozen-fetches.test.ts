import { expect, test } from 'vitest'
import { logOf, scenario, settle, tookTooLong } from './scenario.ts'

test('a caller with wait=4 gets known keys while the issuer hangs and each answer freezes the environment', async () => {
  const keys = scenario()
  await keys.found('a')
  keys.issuer = 'hanging'
  keys.clock.advance(600_000)
  for (let calls = 0; calls < 120; calls++) {
    expect(await keys.foundWithin(4_000 - 150, 'a')).toBe(true)
    keys.clock.suspend(30_000)
  }
  expect(keys.logged).toEqual(Array(12).fill(logOf(tookTooLong)))
})

/** Keys whose fetch hangs when its only caller has left. */
async function fetching() {
  const keys = scenario()
  keys.issuer = 'hanging'
  expect(await keys.foundWithin(300, 'old')).toBe('budget')
  return keys
}

test('a frozen fetch is dropped by the next caller, whatever its end', async () => {
  const keys = await fetching()
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
])('a frozen fetch that ends %i ms later is logged as %j', async (ms, logged) => {
  const keys = await fetching()
  keys.clock.suspend(ms)
  keys.clock.advance(0)
  await settle()
  expect(keys.logged).toEqual(logged)
})

test('a frozen fetch is followed by one of the caller who waits for it', async () => {
  const keys = await fetching()
  const waiting = keys.found('a')
  keys.clock.suspend(3_500)
  keys.fetches[0]?.answer(['old'])
  await settle()
  expect(keys.fetches).toHaveLength(2)
  keys.fetches[1]?.answer(['a'])
  expect(await waiting).toBe(true)
})
