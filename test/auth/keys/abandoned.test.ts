import { beforeEach, expect, test } from 'vitest'
import { timeLimit } from '../../../lib/time.ts'
import {
  type KeyScenario,
  callerWith,
  failed,
  keyScenario,
  live,
  outage,
  settle,
  unavailableFor,
} from './scenario.ts'

/** A fetch that ends with the caller who began it is abandoned. */
let keys: KeyScenario

const after = (leftMs: number) =>
  new Error(`a fetch of the keys was abandoned after the ${leftMs} ms of its caller`)
const abandoned = (time_left_ms: number) => ({ event: 'key_fetch_abandoned', issuer: 'i', time_left_ms })
const fetches = () => keys.calls.length

beforeEach(async () => {
  keys = keyScenario()
  await keys.found('a')
  keys.calls.length = 0
  keys.issuer = 'hanging'
})

test('a hundred callers with unknown kids and little time cause one fetch, which is reported', async () => {
  expect(await callerWith(keys, 150, 'u')).toBe('budget')
  for (let i = 0; i < 100; i++)
    expect(await callerWith(keys, 150, `u${i}`)).toMatchObject(unavailableFor(5, after(150)))
  expect(fetches()).toBe(1)
  expect(keys.logged).toEqual([abandoned(150)])
  expect(await keys.found('a')).toBe(true)
})

test('a hundred callers with a known kid and little time cause one fetch, and none is let in with an old key', async () => {
  keys.clock.advance(300_000)
  expect(await callerWith(keys, 150, 'a')).toBe('budget')
  for (let i = 0; i < 100; i++)
    expect(await callerWith(keys, 150, 'a')).toMatchObject(unavailableFor(5, after(150)))
  expect(fetches()).toBe(1)
})

test('the holder of a withdrawn key is not let in, whatever time he has', async () => {
  keys.clock.advance(300_000)
  for (let leftMs = 50; leftMs < 5_000; leftMs += 50)
    expect(await callerWith(keys, leftMs, 'a')).not.toBe(true)
  keys.issuer = ['b']
  expect(await keys.found('a')).toBe(false)
})

test('a new key is found at once by a caller who has the five seconds of a fetch, not by one who has less', async () => {
  for (let leftMs = 400; leftMs < 5_000; leftMs += 500) await callerWith(keys, leftMs, 'u')
  keys.issuer = ['a', 'b']
  expect(await callerWith(keys, 4_999, 'b')).toMatchObject(unavailableFor(5, after(4_900)))
  expect(await callerWith(keys, 5_000, 'b')).toBe(true)
})

test('callers with rising times begin the next fetch when they have half a second more, ten in a row at most', async () => {
  const timesMs: number[] = []
  for (let leftMs = 1; leftMs < 5_000; leftMs++) {
    const before = fetches()
    await callerWith(keys, leftMs, `u${leftMs}`)
    if (fetches() > before) timesMs.push(leftMs)
  }
  expect(timesMs).toEqual(Array.from({ length: 10 }, (_, i) => 1 + i * 500))
  expect(keys.logged).toEqual(timesMs.map(abandoned))
})

test('after five seconds a caller with little time begins the next fetch', async () => {
  await callerWith(keys, 1_000, 'u')
  keys.clock.advance(4_001)
  expect(await callerWith(keys, 1_000, 'u')).toMatchObject(unavailableFor(1, after(1_000)))
  keys.clock.advance(998)
  expect(await callerWith(keys, 1_499, 'u')).toMatchObject(unavailableFor(1, after(1_000)))
  keys.clock.advance(1)
  keys.issuer = ['a', 'b']
  expect(await callerWith(keys, 1, 'b')).toBe(true)
})

test('a fetch that fails after an abandoned one begins a pause', async () => {
  keys.clock.advance(300_000)
  await callerWith(keys, 1_000, 'a')
  keys.issuer = outage
  expect(await keys.found('a')).toBe(true)
  expect(keys.logged).toEqual([abandoned(1_000), failed()])
})

test('who waits for a fetch that is abandoned begins none without half a second more', async () => {
  const first = callerWith(keys, 1_000, 'b')
  await settle()
  const second = callerWith(keys, 1_200, 'b')
  const patient = keys.clock.moving(keys.found('b', live))
  expect(await first).toBe('budget')
  expect(await second).toMatchObject(unavailableFor(5, after(1_000)))
  keys.calls[1]?.answer(['a', 'b'])
  expect(await patient).toBe(true)
})

test('a caller whose time is over begins no fetch, although his timer is late', async () => {
  const limit = timeLimit(keys.clock, keys.clock.nowMs() + 1_000, () => 'budget')
  keys.clock.suspend(1_000)
  await expect(keys.found('b', limit.signal)).rejects.toBe('budget')
  expect(fetches()).toBe(0)
  expect(keys.logged).toEqual([])
})

test('a clock that was a day ahead at an abandoned fetch keeps nobody out', async () => {
  keys.clock.step(86_400_000)
  await callerWith(keys, 4_000, 'u')
  keys.clock.step(-86_400_000)
  keys.issuer = ['a', 'b']
  expect(await callerWith(keys, 1, 'b')).toBe(true)
})
