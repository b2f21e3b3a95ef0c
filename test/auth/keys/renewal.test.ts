import { beforeEach, expect, test } from 'vitest'
import { type KeyScenario, keyScenario, live, outage, unavailableFor } from './scenario.ts'

let keys: KeyScenario

beforeEach(() => {
  keys = keyScenario()
})

test('keys are used until they are five minutes old; then a withdrawn one is not found', async () => {
  expect(await keys.found('a')).toBe(true)
  keys.issuer = ['b']
  keys.clock.advance(299_999)
  expect(await keys.found('a')).toBe(true)
  keys.clock.advance(1)
  expect(await keys.found('a')).toBe(false)
  expect(await keys.found('b')).toBe(true)
  expect(keys.calls).toHaveLength(2)
})

test('an expired key that was published again under its kid is replaced', async () => {
  const before = await keys.set.find('RS256 a', live)
  keys.clock.advance(300_000)
  const after = await keys.set.find('RS256 a', live)
  expect(after).toBeDefined()
  expect(after).not.toBe(before)
})

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

test('a key whose fetch takes longer than keys may be old is found by the caller of the fetch', async () => {
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

test('a new key is found at once, without waiting for the age of the known ones', async () => {
  await keys.found('a')
  keys.issuer = ['a', 'b']
  expect(await keys.found('b')).toBe(true)
})
