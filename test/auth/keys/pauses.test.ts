import { beforeEach, describe, expect, test } from 'vitest'
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

let keys: KeyScenario

describe('when expired keys cannot be fetched', () => {
  beforeEach(async () => {
    keys = keyScenario()
    await keys.found('a')
    keys.clock.advance(300_000)
  })

  test('known keys cost callers five seconds a minute of a hanging issuer', async () => {
    keys.issuer = 'hanging'
    const endMs = keys.clock.nowMs() + 600_000
    const waitsMs: number[] = []
    while (keys.clock.nowMs() < endMs) {
      const fromMs = keys.clock.nowMs()
      expect(await keys.clock.moving(keys.found('a'))).toBe(true)
      if (keys.clock.nowMs() > fromMs) waitsMs.push(keys.clock.nowMs() - fromMs)
      keys.clock.advance(1_000)
    }
    expect(waitsMs).toEqual(Array(10).fill(5_000))
    expect(keys.calls.slice(1).every(({ signal }) => signal.aborted)).toBe(true)
    expect(keys.clock.scheduled()).toBe(0)
  })

  test('each failed fetch is reported once for all its callers', async () => {
    keys.issuer = outage
    await Promise.all([keys.found('a'), keys.found('a'), keys.found('b').catch(() => {})])
    await keys.found('a')
    expect(keys.logged).toEqual([failed()])
    keys.clock.advance(55_000)
    await keys.found('a')
    expect(keys.logged).toEqual([failed(), failed()])
  })

  test('an unknown kid is answered immediately with the rest of the pause', async () => {
    keys.issuer = outage
    await keys.found('a')
    keys.issuer = ['a', 'b']
    await expect(keys.found('b')).rejects.toMatchObject(unavailableFor(55))
    keys.clock.advance(53_001)
    await expect(keys.found('b')).rejects.toMatchObject(unavailableFor(2))
    keys.clock.advance(1_998)
    await expect(keys.found('b')).rejects.toMatchObject(unavailableFor(1))
    expect(keys.calls).toHaveLength(2)
    keys.clock.advance(1)
    expect(await keys.found('b')).toBe(true)
  })
})

test('a failure while the clock was a day ahead begins no pause of a day', async () => {
  keys = keyScenario()
  keys.issuer = outage
  keys.clock.step(86_400_000)
  await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(55))
  keys.clock.step(-86_400_000)
  keys.issuer = ['a']
  expect(await keys.found('a')).toBe(true)
})

describe('when the issuer publishes no usable key', () => {
  const noUsableKey = new Error('the key set has no usable key')

  beforeEach(async () => {
    keys = keyScenario()
    await keys.found('a')
    keys.clock.advance(200_000)
    keys.issuer = []
    await expect(keys.found('b')).rejects.toMatchObject(unavailableFor(5, noUsableKey))
  })

  test('known keys are used while they are young', async () => {
    keys.clock.advance(99_999)
    expect(await keys.found('a')).toBe(true)
    expect(keys.logged).toEqual([failed(noUsableKey.message)])
  })

  test('known keys are not used longer by a later outage', async () => {
    keys.clock.advance(100_000)
    await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(5, noUsableKey))
    keys.issuer = outage
    keys.clock.advance(5_000)
    await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(55))
  })

  test('the right keys are used five seconds later', async () => {
    keys.issuer = ['a']
    keys.clock.advance(100_000)
    expect(await keys.found('a')).toBe(true)
    keys.issuer = outage
    keys.clock.advance(300_000)
    expect(await keys.found('a')).toBe(true)
  })
})

describe('when a fetch does not bring the unknown kid', () => {
  const justFetched = { message: expect.stringContaining('unknown kid') }

  test('other unknown kids wait for the rest of the pause', async () => {
    keys = keyScenario()
    expect(await keys.found('unknown')).toBe(false)
    keys.issuer = ['a', 'b']
    for (let second = 0; second < 55; second++) {
      await expect(keys.found('b')).rejects.toMatchObject(unavailableFor(55 - second, justFetched))
      expect(await keys.found('a')).toBe(true)
      keys.clock.advance(1_000)
    }
    expect(keys.calls).toHaveLength(1)
    expect(keys.logged).toEqual([])
    expect(await keys.found('b')).toBe(true)
  })

  test('a withdrawn key is used for ten seconds where keys may be so old', async () => {
    keys = keyScenario({ keysMaxAgeSeconds: 10 })
    expect(await keys.found('unknown')).toBe(false)
    await expect(keys.found('b')).rejects.toMatchObject(unavailableFor(10, justFetched))
    keys.issuer = ['b']
    keys.clock.advance(9_999)
    expect(await keys.found('a')).toBe(true)
    keys.clock.advance(1)
    expect(await keys.found('a')).toBe(false)
  })
})

describe('after a fetch that was abandoned with its caller', () => {
  const abandonedAfter = (leftMs: number) =>
    new Error(`a fetch of the keys was abandoned after the ${leftMs} ms of its caller`)
  const abandoned = (time_left_ms: number) => ({ event: 'key_fetch_abandoned', issuer: 'i', time_left_ms })
  const fetches = () => keys.calls.length

  beforeEach(async () => {
    keys = keyScenario()
    await keys.found('a')
    keys.calls.length = 0
    keys.issuer = 'hanging'
  })

  test('a new key is found at once by a caller who has the five seconds of a fetch', async () => {
    for (let leftMs = 400; leftMs < 5_000; leftMs += 500) await callerWith(keys, leftMs, 'u')
    keys.issuer = ['a', 'b']
    expect(await callerWith(keys, 4_999, 'b')).toMatchObject(unavailableFor(5, abandonedAfter(4_900)))
    expect(await callerWith(keys, 5_000, 'b')).toBe(true)
  })

  test('callers with rising times cause ten fetches', async () => {
    const timesMs: number[] = []
    for (let leftMs = 1; leftMs < 5_000; leftMs++) {
      const before = fetches()
      await callerWith(keys, leftMs, `u${leftMs}`)
      if (fetches() > before) timesMs.push(leftMs)
    }
    expect(timesMs).toEqual(Array.from({ length: 10 }, (_, i) => 1 + i * 500))
    expect(keys.logged).toEqual(timesMs.map(abandoned))
  })

  test('a caller with little time begins the next one after five seconds', async () => {
    await callerWith(keys, 1_000, 'u')
    keys.clock.advance(4_001)
    expect(await callerWith(keys, 1_000, 'u')).toMatchObject(unavailableFor(1, abandonedAfter(1_000)))
    keys.clock.advance(998)
    expect(await callerWith(keys, 1_499, 'u')).toMatchObject(unavailableFor(1, abandonedAfter(1_000)))
    keys.clock.advance(1)
    keys.issuer = ['a', 'b']
    expect(await callerWith(keys, 1, 'b')).toBe(true)
  })

  test('a caller who waited begins the next one with half a second more', async () => {
    const first = callerWith(keys, 1_000, 'b')
    await settle()
    const second = callerWith(keys, 1_200, 'b')
    const patient = keys.clock.moving(keys.found('b', live))
    expect(await first).toBe('budget')
    expect(await second).toMatchObject(unavailableFor(5, abandonedAfter(1_000)))
    keys.calls[1]?.answer(['a', 'b'])
    expect(await patient).toBe(true)
  })

  test('a caller whose time is over by the clock begins none', async () => {
    const limit = timeLimit(keys.clock, keys.clock.nowMs() + 1_000, () => 'budget')
    keys.clock.suspend(1_000)
    await expect(keys.found('b', limit.signal)).rejects.toBe('budget')
    expect(fetches()).toBe(0)
    expect(keys.logged).toEqual([])
  })
})
