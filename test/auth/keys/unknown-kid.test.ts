import { beforeEach, expect, test } from 'vitest'
import { type KeyScenario, keyScenario, live, settle, unavailable } from './scenario.ts'

let keys: KeyScenario

beforeEach(() => {
  keys = keyScenario()
})

test('a new key is found immediately after nine unknown kids', async () => {
  await keys.found('a')
  for (let i = 0; i < 8; i++) expect(await keys.found(`unknown-${i}`)).toBe(false)
  keys.issuer = ['a', 'b']
  expect(await keys.found('b')).toBe(true)
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

test('known keys are found during a flood', async () => {
  for (let i = 0; i < 100; i++) await keys.found(`unknown-${i}`)
  const before = keys.calls.length
  expect(await keys.found('a')).toBe(true)
  expect(keys.calls).toHaveLength(before)
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
