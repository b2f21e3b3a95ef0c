import { beforeEach, expect, test } from 'vitest'
import { type KeyScenario, keyScenario, live, outage, settle, unavailable } from './scenario.ts'

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

test('during a flood of unknown kids a new key is found after five seconds, with few fetches', async () => {
  await keys.found('a')
  for (let i = 0; i < 1_000; i++) expect(await keys.found(`unknown-${i}`)).toBe(false)
  expect(keys.calls).toHaveLength(10)
  keys.issuer = ['a', 'b']
  keys.clock.advance(4_999)
  expect(await keys.found('b')).toBe(false)
  keys.clock.advance(1)
  expect(await keys.found('unknown')).toBe(false)
  expect(await keys.found('b')).toBe(true)
  expect(keys.calls).toHaveLength(11)
})

test('the allowance does not grow beyond its maximum', async () => {
  await keys.found('a')
  keys.clock.advance(250_000)
  for (let i = 0; i < 100; i++) await keys.found(`unknown-${i}`)
  expect(keys.calls).toHaveLength(11)
})

test('a clock that is set back does not use up the allowance', async () => {
  await keys.found('a')
  keys.clock.advance(-3_600_000)
  keys.issuer = ['a', 'b']
  expect(await keys.found('b')).toBe(true)
})

test('without keys and allowance, a token is answered issuer_unavailable, not rejected', async () => {
  keys.issuer = 'hanging'
  for (let i = 0; i < 10; i++) {
    const stop = new AbortController()
    const aborted = keys.found('a', stop.signal)
    await settle()
    stop.abort('budget')
    await expect(aborted).rejects.toBe('budget')
  }
  await expect(keys.found('a', live)).rejects.toMatchObject(unavailable)
  expect(keys.calls).toHaveLength(10)
})
