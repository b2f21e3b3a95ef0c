import { beforeEach, expect, test } from 'vitest'
import { type KeyScene, keyScene, live, settle, unavailable } from './scene.ts'

let at: KeyScene

beforeEach(() => {
  at = keyScene()
})

test('a new key works at once', async () => {
  await at.found('a')
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('a new key works at once although nine unknown kids came before it', async () => {
  await at.found('a')
  for (let i = 0; i < 8; i++) expect(await at.found(`unknown-${i}`)).toBe(false)
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('under a flood of unknown kids a new key waits five seconds at most, and few fetches are made', async () => {
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

test('unknown kids at the same time do not use up the allowance', async () => {
  await at.found('a')
  await Promise.all(Array.from({ length: 50 }, (_, i) => at.found(`unknown-${i}`)))
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('the allowance does not grow while nobody uses it', async () => {
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

test('known keys do not suffer from a flood', async () => {
  for (let i = 0; i < 100; i++) await at.found(`unknown-${i}`)
  const before = at.calls.length
  expect(await at.found('a')).toBe(true)
  expect(at.calls).toHaveLength(before)
})

test('without keys, an allowance that is used up leaves the token unjudged, not rejected', async () => {
  at.issuer = 'silent'
  for (let i = 0; i < 10; i++) {
    const stop = new AbortController()
    const cut = at.found('a', stop.signal)
    await settle()
    stop.abort('budget')
    await expect(cut).rejects.toBe('budget')
  }
  await expect(at.found('a', live)).rejects.toMatchObject(unavailable)
  expect(at.calls).toHaveLength(10)
})
