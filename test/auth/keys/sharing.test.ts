import { beforeEach, expect, test } from 'vitest'
import { type KeyScene, keyScene, live, outage, settle, unavailable } from './scene.ts'

let at: KeyScene

beforeEach(() => {
  at = keyScene()
})

test('a fetch is given up after five seconds', async () => {
  at.issuer = 'silent'
  const outcome = at.found('a')
  await settle()
  at.clock.advance(4_999)
  await settle()
  expect(at.calls[0]?.signal.aborted).toBe(false)
  at.clock.advance(1)
  await expect(outcome).rejects.toMatchObject(unavailable)
  expect(at.calls[0]?.signal.aborted).toBe(true)
  expect(at.clock.scheduled()).toBe(0)
})

test('callers at the same time share one fetch', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => at.found('a')))
  expect(outcomes.every(Boolean)).toBe(true)
  expect(at.calls).toHaveLength(1)
})

test('strange kids at the same time share two fetches, the second begun after all had come', async () => {
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => at.found(`strange-${i}`)))
  expect(outcomes.some(Boolean)).toBe(false)
  expect(at.calls).toHaveLength(2)
})

test('a kid that is missing from a fetch begun earlier gets a fetch of its own', async () => {
  at.issuer = 'silent'
  const first = at.found('a')
  const second = at.found('b')
  await settle()
  at.issuer = ['a', 'b']
  at.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  expect(await second).toBe(true)
  expect(at.calls).toHaveLength(2)
})

test('one caller leaving does not fail the others', async () => {
  at.issuer = 'silent'
  const stop = new AbortController()
  const leaving = at.found('a', stop.signal)
  const staying = at.found('a')
  await settle()
  stop.abort('budget')
  await expect(leaving).rejects.toBe('budget')
  expect(at.calls[0]?.signal.aborted).toBe(false)
  at.calls[0]?.answer(['a'])
  expect(await staying).toBe(true)
})

test('a fetch is aborted when the last who waits for it has left', async () => {
  at.issuer = 'silent'
  const stop = new AbortController()
  const leaving = [at.found('a', stop.signal), at.found('a', stop.signal)]
  await settle()
  stop.abort('budget')
  for (const each of leaving) await expect(each).rejects.toBe('budget')
  expect(at.calls[0]?.signal.aborted).toBe(true)
  expect(at.clock.scheduled()).toBe(0)
  at.issuer = ['a']
  expect(await at.found('a')).toBe(true)
})

test('an answer to an aborted fetch is not believed', async () => {
  at.issuer = 'silent'
  const stop = new AbortController()
  const leaving = at.found('a', stop.signal)
  await settle()
  stop.abort('budget')
  await expect(leaving).rejects.toBe('budget')
  at.calls[0]?.answer(['old'])
  await settle()
  at.issuer = outage
  await expect(at.found('old')).rejects.toMatchObject(unavailable)
})

test('warming joins in with the first caller, and never throws', async () => {
  at.issuer = 'silent'
  const warming = at.set.warm(live)
  const first = at.found('a')
  await settle()
  at.calls[0]?.answer(['a'])
  expect(await first).toBe(true)
  await warming
  expect(at.calls).toHaveLength(1)
  at.issuer = outage
  await at.set.warm(live)
  await at.set.warm(AbortSignal.abort())
})
