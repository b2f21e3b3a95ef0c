import { beforeEach, expect, test } from 'vitest'
import { type KeyScenario, keyScenario, live, settle, unavailable } from './scenario.ts'

let at: KeyScenario

beforeEach(() => {
  at = keyScenario()
})

test('a new key is found immediately', async () => {
  await at.found('a')
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('a new key is found immediately after nine unknown kids', async () => {
  await at.found('a')
  for (let i = 0; i < 8; i++) expect(await at.found(`unknown-${i}`)).toBe(false)
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('during a flood of unknown kids a new key is found after five seconds, with few fetches', async () => {
  await at.found('a')
  for (let i = 0; i < 1_000; i++) expect(await at.found(`unknown-${i}`)).toBe(false)
  expect(at.calls).toHaveLength(10)
  at.issuer = ['a', 'b']
  at.clock.advance(4_999)
  expect(await at.found('b')).toBe(false)
  at.clock.advance(1)
  expect(await at.found('unknown')).toBe(false)
  expect(await at.found('b')).toBe(true)
  expect(at.calls).toHaveLength(11)
})

test('concurrent unknown kids do not use up the allowance', async () => {
  await at.found('a')
  await Promise.all(Array.from({ length: 50 }, (_, i) => at.found(`unknown-${i}`)))
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('the allowance does not grow beyond its maximum', async () => {
  await at.found('a')
  at.clock.advance(250_000)
  for (let i = 0; i < 100; i++) await at.found(`unknown-${i}`)
  expect(at.calls).toHaveLength(11)
})

test('a clock that is set back does not use up the allowance', async () => {
  await at.found('a')
  at.clock.advance(-3_600_000)
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('known keys are found during a flood', async () => {
  for (let i = 0; i < 100; i++) await at.found(`unknown-${i}`)
  const before = at.calls.length
  expect(await at.found('a')).toBe(true)
  expect(at.calls).toHaveLength(before)
})

test('without keys and allowance, a token is answered issuer_unavailable, not rejected', async () => {
  at.issuer = 'hanging'
  for (let i = 0; i < 10; i++) {
    const stop = new AbortController()
    const aborted = at.found('a', stop.signal)
    await settle()
    stop.abort('budget')
    await expect(aborted).rejects.toBe('budget')
  }
  await expect(at.found('a', live)).rejects.toMatchObject(unavailable)
  expect(at.calls).toHaveLength(10)
})
