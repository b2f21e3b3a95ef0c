import { beforeEach, expect, test } from 'vitest'
import { type KeyScenario, keyScenario, live, outage, unavailable } from './scenario.ts'

let keys: KeyScenario

beforeEach(() => {
  keys = keyScenario()
})

test('keys are fetched once and used until they are five minutes old', async () => {
  expect(await keys.found('a')).toBe(true)
  keys.clock.advance(299_999)
  expect(await keys.found('a')).toBe(true)
  expect(keys.calls).toHaveLength(1)
  keys.clock.advance(1)
  expect(await keys.found('a')).toBe(true)
  expect(keys.calls).toHaveLength(2)
})

test('a withdrawn key stops working after keysMaxAgeSeconds', async () => {
  await keys.found('a')
  keys.issuer = ['b']
  keys.clock.advance(300_000)
  expect(await keys.found('a')).toBe(false)
  expect(await keys.found('b')).toBe(true)
})

test.each([
  ['the old key', true],
  ['the new key', false],
])(
  'an expired key that was replaced under its kid is replaced by a token signed with %s',
  async (_, isOld) => {
    const before = await keys.set.find('RS256 a', () => true, live)
    keys.clock.advance(300_000)
    const after = await keys.set.find('RS256 a', () => isOld, live)
    expect(after).toBeDefined()
    expect(after).not.toBe(before)
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

test('a known key is used during an outage for one day', async () => {
  await keys.found('a')
  keys.issuer = outage
  keys.clock.advance(86_399_999)
  expect(await keys.found('a')).toBe(true)
  keys.clock.advance(1)
  await expect(keys.found('a')).rejects.toMatchObject({ ...unavailable, cause: outage })
})

test.each([{}, [], null, { keys: 1 }])('an answer of %j is an outage', async answer => {
  await expect(keyScenario(async () => answer).found('a')).rejects.toMatchObject(unavailable)
})
