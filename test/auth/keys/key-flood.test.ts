import { beforeEach, expect, test } from 'vitest'
import { type KeyScene, keyScene, outage, unavailable } from './key-scene.ts'

let at: KeyScene

beforeEach(() => {
  at = keyScene()
})

test('a new key works at once', async () => {
  await at.found('a')
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('a new key works at once although eight strange kids came before it', async () => {
  await at.found('a')
  for (let i = 0; i < 8; i++) expect(await at.found(`strange-${i}`)).toBe(false)
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('under a flood of strange kids a new key waits five seconds at most, and few fetches are made', async () => {
  await at.found('a')
  for (let i = 0; i < 1_000; i++) expect(await at.found(`strange-${i}`)).toBe(false)
  expect(at.calls).toHaveLength(10)
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(false)
  at.clock.advance(5_000)
  expect(await at.found('strange')).toBe(false)
  expect(await at.found('b')).toBe(true)
  expect(at.calls).toHaveLength(11)
})

test('strange kids at the same time do not use up the allowance', async () => {
  await at.found('a')
  await Promise.all(Array.from({ length: 50 }, (_, i) => at.found(`strange-${i}`)))
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('the allowance does not grow while nobody uses it', async () => {
  await at.found('a')
  at.clock.advance(250_000)
  for (let i = 0; i < 100; i++) await at.found(`strange-${i}`)
  expect(at.calls).toHaveLength(11)
})

test('a clock that is set back does not use up the allowance', async () => {
  await at.found('a')
  at.clock.advance(-3_600_000)
  at.issuer = ['a', 'b']
  expect(await at.found('b')).toBe(true)
})

test('known keys do not suffer from a flood', async () => {
  for (let i = 0; i < 100; i++) await at.found(`strange-${i}`)
  const before = at.calls.length
  expect(await at.found('a')).toBe(true)
  expect(at.calls).toHaveLength(before)
})

test('the same strange kid is asked for once in ten seconds', async () => {
  await at.found('a')
  for (let i = 0; i < 5; i++) expect(await at.found('b')).toBe(false)
  expect(at.calls).toHaveLength(2)
  at.clock.advance(9_999)
  expect(await at.found('b')).toBe(false)
  expect(at.calls).toHaveLength(2)
  at.clock.advance(1)
  at.issuer = ['b']
  expect(await at.found('b')).toBe(true)
})

test('an allowance that is used up in an outage leaves the token unjudged, not rejected', async () => {
  at.issuer = outage
  for (let i = 0; i < 12; i++) await expect(at.found('a')).rejects.toMatchObject(unavailable)
  expect(at.calls).toHaveLength(10)
})
