import { beforeEach, describe, expect, test } from 'vitest'
import { type KeyScenario, keyScenario, live, outage, settle, unavailable } from './scenario.ts'

const maxAgeMs = 300_000
let keys: KeyScenario

/** One caller until the answer or the end of its budget, which is an outcome, too. */
async function caller(kid: string, budgetMs?: number, isSigned = true) {
  const stop = new AbortController()
  const fromMs = keys.clock.nowMs()
  const cancel =
    budgetMs === undefined ? () => {} : keys.clock.schedule(fromMs + budgetMs, () => stop.abort('budget'))
  const outcome = await keys.clock
    .moving(keys.found(kid, stop.signal, isSigned).finally(cancel))
    .catch(error => error)
  return { outcome, tookMs: keys.clock.nowMs() - fromMs }
}

/** Consecutive callers, a second apart, for ten minutes: all outcomes, and the waiting times above 0. */
async function callers(kid: string, budgetMs?: number, isSigned = true) {
  const endMs = keys.clock.nowMs() + 600_000
  const outcomes: unknown[] = []
  const waitsMs: number[] = []
  while (keys.clock.nowMs() < endMs) {
    const { outcome, tookMs } = await caller(kid, budgetMs, isSigned)
    outcomes.push(outcome)
    if (tookMs > 0) waitsMs.push(tookMs)
    keys.clock.advance(1_000)
  }
  return { outcomes, waitsMs }
}

describe('when expired keys cannot be fetched', () => {
  beforeEach(async () => {
    keys = keyScenario()
    await keys.found('a')
    keys.clock.advance(maxAgeMs)
  })

  test('callers with known keys wait five seconds a minute for a hanging issuer', async () => {
    keys.issuer = 'hanging'
    const { outcomes, waitsMs } = await callers('a')
    expect(new Set(outcomes)).toEqual(new Set([true]))
    expect(waitsMs).toEqual(Array(10).fill(5_000))
    expect(keys.calls.slice(1).every(({ signal }) => signal.aborted)).toBe(true)
    expect(keys.clock.scheduled()).toBe(0)
  })

  test.each([600, 2_000, 4_900])(
    'forged tokens with budgets of %i ms wait for a hanging issuer at most five seconds plus a tenth of the time',
    async budgetMs => {
      keys.issuer = 'hanging'
      const { outcomes, waitsMs } = await callers('a', budgetMs, false)
      expect(outcomes).not.toContain(true)
      const waitedMs = waitsMs.reduce((total, each) => total + each, 0)
      expect(waitedMs).toBeLessThanOrEqual(5_000 + 60_000 + 5_000)
      expect(waitedMs).toBeGreaterThan(30_000)
    },
  )

  test('each failed attempt is reported once for all its callers', async () => {
    keys.issuer = outage
    await Promise.all([keys.found('a'), keys.found('a'), keys.found('b').catch(() => {})])
    await keys.found('a')
    expect(keys.failures).toEqual([outage])
    keys.clock.advance(55_000)
    await keys.found('a')
    expect(keys.failures).toEqual([outage, outage])
  })

  test('an unknown kid is answered immediately during the pause, with the remaining time', async () => {
    keys.issuer = outage
    await keys.found('a')
    keys.issuer = ['a', 'b']
    const during = { ...unavailable, cause: outage }
    await expect(keys.found('b')).rejects.toMatchObject({ ...during, facts: { retryAfterSeconds: 55 } })
    keys.clock.advance(53_001)
    await expect(keys.found('b')).rejects.toMatchObject({ ...during, facts: { retryAfterSeconds: 2 } })
    keys.clock.advance(1_998)
    await expect(keys.found('b')).rejects.toMatchObject({ ...during, facts: { retryAfterSeconds: 1 } })
    expect(keys.calls).toHaveLength(2)
    keys.clock.advance(1)
    expect(await keys.found('b')).toBe(true)
  })

  test('a successful attempt ends the pause', async () => {
    keys.issuer = outage
    await keys.found('a')
    keys.issuer = ['a']
    await keys.set.warm(live)
    keys.issuer = ['a', 'b']
    expect(await keys.found('b')).toBe(true)
  })

  test('an attempt that is aborted by its caller starts no pause, so that a withdrawn key is not used longer', async () => {
    keys.issuer = { kids: ['b'], afterMs: 4_900 }
    for (let i = 0; i < 20; i++) expect(await caller('a', 1_400)).toMatchObject({ outcome: 'budget' })
    expect((await caller('a')).outcome).toBe(false)
  })

  test('a failed or aborted warm-up starts no pause', async () => {
    keys.issuer = outage
    await keys.set.warm(live)
    keys.issuer = 'hanging'
    const stop = new AbortController()
    const warming = keys.set.warm(stop.signal)
    await settle()
    stop.abort()
    await warming
    keys.issuer = ['b']
    expect(await keys.found('a')).toBe(false)
  })
})
