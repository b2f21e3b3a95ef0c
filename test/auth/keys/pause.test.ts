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
async function callers(kid: (index: number) => string, budgetMs?: number, isSigned = true) {
  const endMs = keys.clock.nowMs() + 600_000
  const outcomes: unknown[] = []
  const waitsMs: number[] = []
  while (keys.clock.nowMs() < endMs) {
    const { outcome, tookMs } = await caller(kid(outcomes.length), budgetMs, isSigned)
    outcomes.push(outcome)
    if (tookMs > 0) waitsMs.push(tookMs)
    keys.clock.advance(1_000)
  }
  return { outcomes, waitsMs }
}

/** Budgets shorter than an attempt. */
const shortBudgetsMs = [600, 2_000, 4_900]
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

describe('when expired keys cannot be fetched', () => {
  beforeEach(async () => {
    keys = keyScenario()
    await keys.found('a')
    keys.clock.advance(maxAgeMs)
  })

  test('known keys are used for 55 s before the next attempt', async () => {
    keys.issuer = outage
    for (let i = 0; i < 5; i++) expect(await keys.found('a')).toBe(true)
    keys.clock.advance(54_999)
    expect(await keys.found('a')).toBe(true)
    expect(keys.calls).toHaveLength(2)
    keys.clock.advance(1)
    expect(await keys.found('a')).toBe(true)
    expect(keys.calls).toHaveLength(3)
  })

  test('callers with known keys wait five seconds a minute for a hanging issuer', async () => {
    keys.issuer = 'hanging'
    const { outcomes, waitsMs } = await callers(() => 'a')
    expect(new Set(outcomes)).toEqual(new Set([true]))
    expect(waitsMs).toEqual(Array(10).fill(5_000))
    expect(keys.calls.slice(1).every(({ signal }) => signal.aborted)).toBe(true)
    expect(keys.clock.scheduled()).toBe(0)
  })

  test.each(shortBudgetsMs)(
    'forged tokens with budgets of %i ms wait for a hanging issuer at most five seconds plus a tenth of the time',
    async budgetMs => {
      keys.issuer = 'hanging'
      const { outcomes, waitsMs } = await callers(() => 'a', budgetMs, false)
      expect(outcomes).not.toContain(true)
      expect(sum(waitsMs)).toBeLessThanOrEqual(5_000 + 60_000 + 5_000)
      expect(sum(waitsMs)).toBeGreaterThan(30_000)
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

  test('a withdrawn key stops working 60 s after the end of the outage', async () => {
    keys.issuer = 'hanging'
    await caller('a')
    keys.issuer = { kids: ['b'], afterMs: 4_900 }
    keys.clock.advance(55_000)
    expect((await caller('a')).outcome).toBe(false)
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

describe('without keys', () => {
  beforeEach(() => {
    keys = keyScenario()
  })

  test('an outage is reported with its cause, and the next attempt follows after the pause', async () => {
    keys.issuer = outage
    const refused = { ...unavailable, cause: outage, facts: { retryAfterSeconds: 55 } }
    for (let i = 0; i < 12; i++) await expect(keys.found('a')).rejects.toMatchObject(refused)
    expect(keys.calls).toHaveLength(1)
    keys.issuer = ['a']
    keys.clock.advance(55_000)
    expect(await keys.found('a')).toBe(true)
  })

  test('callers with unknown kids wait five seconds a minute for a hanging issuer', async () => {
    keys.issuer = 'hanging'
    const { outcomes, waitsMs } = await callers(index => `unknown-${index}`)
    for (const outcome of outcomes) expect(outcome).toMatchObject(unavailable)
    expect(waitsMs).toEqual(Array(10).fill(5_000))
  })

  test.each(shortBudgetsMs)(
    'unknown kids with budgets of %i ms wait for a hanging issuer at most five seconds plus a tenth of the time',
    async budgetMs => {
      keys.issuer = 'hanging'
      const { waitsMs } = await callers(index => `unknown-${index}`, budgetMs)
      expect(sum(waitsMs)).toBeLessThanOrEqual(5_000 + 60_000 + 5_000)
      expect(sum(waitsMs)).toBeGreaterThan(30_000)
    },
  )
})
