import { beforeEach, expect, test } from 'vitest'
import { type KeyScene, keyScene, live, outage, settle, unavailable } from './key-scene.ts'

let at: KeyScene

beforeEach(() => {
  at = keyScene()
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

test('a withdrawn key stops working when the keys have come of age', async () => {
  await at.found('a')
  at.issuer = ['b']
  at.clock.advance(300_000)
  expect(await at.found('a')).toBe(false)
  expect(await at.found('b')).toBe(true)
})

test('a key replaced under its kid is replaced here', async () => {
  const before = await at.set.find('a', live)
  at.clock.advance(300_000)
  const after = await at.set.find('a', live)
  expect(after?.publicKey).not.toBe(before?.publicKey)
})

test('the age of keys counts from the start of their fetch', async () => {
  at.issuer = 'silent'
  const first = at.found('a')
  at.clock.advance(4_000)
  at.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  at.issuer = ['a']
  at.clock.advance(296_000)
  await at.found('a')
  expect(at.calls).toHaveLength(2)
})

test('an outage does not refuse a known key, up to one day', async () => {
  await at.found('a')
  at.issuer = outage
  at.clock.advance(86_399_999)
  expect(await at.found('a')).toBe(true)
  at.clock.advance(1)
  await expect(at.found('a')).rejects.toMatchObject({ ...unavailable, cause: outage })
})

test('in an outage one caller in ten seconds asks again', async () => {
  await at.found('a')
  at.issuer = outage
  at.clock.advance(300_000)
  for (let i = 0; i < 5; i++) await at.found('a')
  expect(at.calls).toHaveLength(2)
  at.clock.advance(9_999)
  await at.found('a')
  expect(at.calls).toHaveLength(2)
  at.clock.advance(1)
  await at.found('a')
  expect(at.calls).toHaveLength(3)
})

test('a caller with a known key waits one second for a silent issuer, then goes on', async () => {
  await at.found('a')
  at.issuer = 'silent'
  at.clock.advance(300_000)
  const outcome = at.found('a')
  await settle()
  at.clock.advance(999)
  await settle()
  expect(at.calls[1]?.signal.aborted).toBe(false)
  at.clock.advance(1)
  expect(await outcome).toBe(true)
  expect(at.calls[1]?.signal.aborted).toBe(true)
  expect(at.clock.scheduled()).toBe(0)
})

test('an impatient caller cannot keep a withdrawn key alive', async () => {
  await at.found('a')
  at.clock.advance(300_000)
  at.issuer = 'silent'
  const stop = new AbortController()
  const cut = at.found('a', stop.signal)
  await settle()
  stop.abort('budget')
  await expect(cut).rejects.toBe('budget')
  at.issuer = ['b']
  expect(await at.found('a')).toBe(false)
})

test('without keys an outage is reported as such, and the next caller tries again', async () => {
  at.issuer = outage
  await expect(at.found('a')).rejects.toMatchObject({ ...unavailable, cause: outage })
  at.issuer = ['a']
  expect(await at.found('a')).toBe(true)
})

test.each([{}, [], null, { keys: 1 }])('an answer of %j is an outage', async answer => {
  await expect(keyScene(async () => answer).found('a')).rejects.toMatchObject(unavailable)
})
