import { beforeEach, expect, test } from 'vitest'
import { type KeyScenario, keyScenario, live, outage, unavailable } from './scenario.ts'

let at: KeyScenario

beforeEach(() => {
  at = keyScenario()
})

test('keys are fetched once and used until they are five minutes old', async () => {
  expect(await at.found('a')).toBe(true)
  at.clock.advance(299_999)
  expect(await at.found('a')).toBe(true)
  expect(at.calls).toHaveLength(1)
  at.clock.advance(1)
  expect(await at.found('a')).toBe(true)
  expect(at.calls).toHaveLength(2)
})

test('a withdrawn key stops working after keysMaxAgeSeconds', async () => {
  await at.found('a')
  at.issuer = ['b']
  at.clock.advance(300_000)
  expect(await at.found('a')).toBe(false)
  expect(await at.found('b')).toBe(true)
})

test.each([
  ['the old key', true],
  ['the new key', false],
])(
  'an expired key that was replaced under its kid is replaced by a token signed with %s',
  async (_, isOld) => {
    const before = await at.set.find('a', () => true, live)
    at.clock.advance(300_000)
    const after = await at.set.find('a', () => isOld, live)
    expect(after).toBeDefined()
    expect(after?.publicKey).not.toBe(before?.publicKey)
  },
)

test('the age of keys counts from the start of their fetch', async () => {
  at.issuer = 'hanging'
  const first = at.found('a')
  at.clock.advance(4_000)
  at.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  at.issuer = ['a']
  at.clock.advance(296_000)
  await at.found('a')
  expect(at.calls).toHaveLength(2)
})

test('a known key is used during an outage for one day', async () => {
  await at.found('a')
  at.issuer = outage
  at.clock.advance(86_399_999)
  expect(await at.found('a')).toBe(true)
  at.clock.advance(1)
  await expect(at.found('a')).rejects.toMatchObject({ ...unavailable, cause: outage })
})

test.each([{}, [], null, { keys: 1 }])('an answer of %j is an outage', async answer => {
  await expect(keyScenario(async () => answer).found('a')).rejects.toMatchObject(unavailable)
})
