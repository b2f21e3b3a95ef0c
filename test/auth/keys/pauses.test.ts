import { beforeEach, describe, expect, test } from 'vitest'
import { type KeyScenario, failed, keyScenario, live, outage, unavailableFor } from './scenario.ts'

let keys: KeyScenario

describe('when expired keys cannot be fetched', () => {
  beforeEach(async () => {
    keys = keyScenario()
    await keys.found('a')
    keys.clock.advance(300_000)
  })

  test('callers with known keys wait five seconds a minute for a hanging issuer', async () => {
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

  test('an unknown kid is answered immediately in the pause, with the rest of it', async () => {
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

  test('a failed or aborted warm-up throws nothing, and begins no pause', async () => {
    keys.issuer = outage
    await keys.set.warm(live)
    keys.issuer = 'hanging'
    await keys.set.warm(AbortSignal.abort())
    keys.issuer = ['b']
    expect(await keys.found('a')).toBe(false)
  })
})

test('a failure while the clock was a day ahead ends the fetches for 55 seconds of the right clock at most', async () => {
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

  test('known keys are used while they are young, and it is reported', async () => {
    keys.clock.advance(99_999)
    expect(await keys.found('a')).toBe(true)
    expect(keys.logged).toEqual([failed(noUsableKey.message)])
  })

  test('known keys are not used longer, not even when later fetches fail', async () => {
    keys.clock.advance(100_000)
    await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(5, noUsableKey))
    keys.issuer = outage
    keys.clock.advance(5_000)
    await expect(keys.found('a')).rejects.toMatchObject(unavailableFor(55))
  })

  test('five seconds later the right keys are used again, in an outage too', async () => {
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

  test('the token is rejected, and other unknown kids wait for the rest of the pause', async () => {
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

  test('a withdrawn key is not used longer, even when keys may only be ten seconds old', async () => {
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
