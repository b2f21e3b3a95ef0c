import { beforeEach, describe, expect, test } from 'vitest'
import { type KeyScenario, impatientCaller, keyScenario, live, outage, unavailableFor } from './scenario.ts'

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
    expect(keys.failures).toEqual([outage])
    keys.clock.advance(55_000)
    await keys.found('a')
    expect(keys.failures).toEqual([outage, outage])
  })

  test('an unknown kid is answered immediately in the cool-down, with the rest of it', async () => {
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

  test('a fetch that its caller aborts begins no cool-down, so that a withdrawn key is not used longer', async () => {
    keys.issuer = 'hanging'
    for (let i = 0; i < 20; i++) expect(await impatientCaller(keys, 'a')).toBe('budget')
    expect(keys.failures).toEqual([])
    keys.issuer = ['b']
    expect(await keys.found('a')).toBe(false)
  })

  test('a failed or aborted warm-up throws nothing, and begins no cool-down', async () => {
    keys.issuer = outage
    await keys.set.warm(live)
    keys.issuer = 'hanging'
    await keys.set.warm(AbortSignal.abort())
    keys.issuer = ['b']
    expect(await keys.found('a')).toBe(false)
  })
})

describe('when a fetch does not bring the unknown kid', () => {
  const justFetched = { message: expect.stringContaining('unknown kid') }

  test('the token is rejected, and other unknown kids wait for the rest of the cool-down', async () => {
    keys = keyScenario()
    expect(await keys.found('unknown')).toBe(false)
    keys.issuer = ['a', 'b']
    for (let second = 0; second < 55; second++) {
      await expect(keys.found('b')).rejects.toMatchObject(unavailableFor(55 - second, justFetched))
      expect(await keys.found('a')).toBe(true)
      keys.clock.advance(1_000)
    }
    expect(keys.calls).toHaveLength(1)
    expect(keys.failures).toEqual([])
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
