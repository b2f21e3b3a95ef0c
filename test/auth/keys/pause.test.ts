import { beforeEach, describe, expect, test } from 'vitest'
import { type KeyScene, keyScene, live, outage, settle, unavailable } from './scene.ts'

const maxAgeMs = 300_000
let at: KeyScene

/** One caller, for as long as the answer takes or the caller has time; that the caller left is an outcome, too. */
async function caller(kid: string, budgetMs?: number, isSigned = true) {
  const stop = new AbortController()
  const fromMs = at.clock.nowMs()
  const cancel =
    budgetMs === undefined ? () => {} : at.clock.schedule(fromMs + budgetMs, () => stop.abort('budget'))
  const outcome = await at.clock
    .moving(at.found(kid, stop.signal, isSigned).finally(cancel))
    .catch(error => error)
  return { outcome, tookMs: at.clock.nowMs() - fromMs }
}

/** Callers one after the other, a second apart, for ten minutes: all outcomes, and how long those waited who had to. */
async function callers(kid: (index: number) => string, budgetMs?: number, isSigned = true) {
  const endMs = at.clock.nowMs() + 600_000
  const outcomes: unknown[] = []
  const waitsMs: number[] = []
  while (at.clock.nowMs() < endMs) {
    const { outcome, tookMs } = await caller(kid(outcomes.length), budgetMs, isSigned)
    outcomes.push(outcome)
    if (tookMs > 0) waitsMs.push(tookMs)
    at.clock.advance(1_000)
  }
  return { outcomes, waitsMs }
}

/** Budgets too short for a try. */
const impatientMs = [600, 2_000, 4_900]
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

describe('when keys of old age cannot be fetched', () => {
  beforeEach(async () => {
    at = keyScene()
    await at.found('a')
    at.clock.advance(maxAgeMs)
  })

  test('the first caller waits five seconds, then goes on with the known key', async () => {
    at.issuer = 'silent'
    expect(await caller('a')).toEqual({ outcome: true, tookMs: 5_000 })
    expect(at.calls[1]?.signal.aborted).toBe(true)
    expect(at.clock.scheduled()).toBe(0)
  })

  test('known keys are used for 55 s before the next try', async () => {
    at.issuer = outage
    for (let i = 0; i < 5; i++) expect(await at.found('a')).toBe(true)
    at.clock.advance(54_999)
    expect(await at.found('a')).toBe(true)
    expect(at.calls).toHaveLength(2)
    at.clock.advance(1)
    expect(await at.found('a')).toBe(true)
    expect(at.calls).toHaveLength(3)
  })

  test('a silent issuer costs known keys five seconds a minute', async () => {
    at.issuer = 'silent'
    const { outcomes, waitsMs } = await callers(() => 'a')
    expect(new Set(outcomes)).toEqual(new Set([true]))
    expect(waitsMs).toEqual(Array(10).fill(5_000))
    expect(at.calls.slice(1).every(({ signal }) => signal.aborted)).toBe(true)
    expect(at.clock.scheduled()).toBe(0)
  })

  test.each(impatientMs)(
    'a silent issuer costs forged tokens with %i ms each five seconds and a tenth of the time',
    async budgetMs => {
      at.issuer = 'silent'
      const { outcomes, waitsMs } = await callers(() => 'a', budgetMs, false)
      expect(outcomes).not.toContain(true)
      expect(sum(waitsMs)).toBeLessThanOrEqual(5_000 + 60_000 + 5_000)
      expect(sum(waitsMs)).toBeGreaterThan(30_000)
    },
  )

  test('each failed try is reported once, however many wait for it', async () => {
    at.issuer = outage
    await Promise.all([at.found('a'), at.found('a'), at.found('b').catch(() => {})])
    await at.found('a')
    expect(at.failures).toEqual([outage])
    at.clock.advance(55_000)
    await at.found('a')
    expect(at.failures).toEqual([outage, outage])
  })

  test('an issuer that refuses connections costs nobody a wait', async () => {
    at.issuer = outage
    const { outcomes, waitsMs } = await callers(() => 'a')
    expect(new Set(outcomes)).toEqual(new Set([true]))
    expect(waitsMs).toEqual([])
  })

  test('a kid that is not known is answered at once during the pause, with the rest of it', async () => {
    at.issuer = outage
    await at.found('a')
    at.issuer = ['a', 'b']
    const during = { ...unavailable, cause: outage }
    await expect(at.found('b')).rejects.toMatchObject({ ...during, facts: { retryAfterSeconds: 55 } })
    at.clock.advance(53_001)
    await expect(at.found('b')).rejects.toMatchObject({ ...during, facts: { retryAfterSeconds: 2 } })
    at.clock.advance(1_998)
    await expect(at.found('b')).rejects.toMatchObject({ ...during, facts: { retryAfterSeconds: 1 } })
    expect(at.calls).toHaveLength(2)
    at.clock.advance(1)
    expect(await at.found('b')).toBe(true)
  })

  test('a withdrawn key stops working 60 s after the end of the outage', async () => {
    at.issuer = 'silent'
    await caller('a')
    at.issuer = { kids: ['b'], afterMs: 4_900 }
    at.clock.advance(55_000)
    expect((await caller('a')).outcome).toBe(false)
  })

  test('a try that ends well ends the pause', async () => {
    at.issuer = outage
    await at.found('a')
    at.issuer = ['a']
    await at.set.warm(live)
    at.issuer = ['a', 'b']
    expect(await at.found('b')).toBe(true)
  })

  test('a try that its caller cut short starts no pause: it cannot keep a withdrawn key alive', async () => {
    at.issuer = { kids: ['b'], afterMs: 4_900 }
    for (let i = 0; i < 20; i++) expect(await caller('a', 1_400)).toMatchObject({ outcome: 'budget' })
    expect((await caller('a')).outcome).toBe(false)
  })

  test('a try of the warm-up starts no pause, whether it fails or is cut short', async () => {
    at.issuer = outage
    await at.set.warm(live)
    at.issuer = 'silent'
    const stop = new AbortController()
    const warming = at.set.warm(stop.signal)
    await settle()
    stop.abort()
    await warming
    at.issuer = ['b']
    expect(await at.found('a')).toBe(false)
  })

  test('callers who wait together make one try', async () => {
    at.issuer = 'silent'
    const first = at.found('a')
    at.clock.advance(3_000)
    const second = at.found('a')
    expect(await at.clock.moving(Promise.all([first, second]))).toEqual([true, true])
    expect(at.calls).toHaveLength(2)
    at.issuer = ['b']
    at.clock.advance(55_000)
    expect(await at.found('a')).toBe(false)
  })
})

describe('without keys', () => {
  beforeEach(() => {
    at = keyScene()
  })

  test('an outage is reported with its cause, and the next try follows after the pause', async () => {
    at.issuer = outage
    const refused = { ...unavailable, cause: outage, facts: { retryAfterSeconds: 55 } }
    for (let i = 0; i < 12; i++) await expect(at.found('a')).rejects.toMatchObject(refused)
    expect(at.calls).toHaveLength(1)
    at.issuer = ['a']
    at.clock.advance(55_000)
    expect(await at.found('a')).toBe(true)
  })

  test('a silent issuer costs unknown kids five seconds a minute', async () => {
    at.issuer = 'silent'
    const { outcomes, waitsMs } = await callers(index => `unknown-${index}`)
    for (const outcome of outcomes) expect(outcome).toMatchObject(unavailable)
    expect(waitsMs).toEqual(Array(10).fill(5_000))
  })

  test.each(impatientMs)(
    'a silent issuer costs unknown kids with %i ms each five seconds and a tenth of the time',
    async budgetMs => {
      at.issuer = 'silent'
      const { waitsMs } = await callers(index => `unknown-${index}`, budgetMs)
      expect(sum(waitsMs)).toBeLessThanOrEqual(5_000 + 60_000 + 5_000)
      expect(sum(waitsMs)).toBeGreaterThan(30_000)
    },
  )
})
