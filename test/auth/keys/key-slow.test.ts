import { beforeEach, describe, expect, test } from 'vitest'
import { type KeyScene, keyScene, live, outage } from './key-scene.ts'

const maxAgeMs = 300_000
const stepMs = 100
let at: KeyScene

beforeEach(async () => {
  at = keyScene()
  await at.found('a')
})

/** One call, as long as it takes; with a budget it is cut short. */
async function caller(kid: string, budgetMs?: number) {
  const stop = new AbortController()
  const fromMs = at.clock.nowMs()
  const cancel =
    budgetMs === undefined ? () => {} : at.clock.schedule(fromMs + budgetMs, () => stop.abort('budget'))
  const work = at.found(kid, budgetMs === undefined ? live : stop.signal).finally(cancel)
  const outcome = await at.clock.moving(work).catch(error => error)
  return { outcome, tookMs: at.clock.nowMs() - fromMs }
}

/** Callers one after the other, a second apart, until one is not let in or the time is over. */
async function callers(kid: string, forMs: number, budgetMs?: number) {
  const startMs = at.clock.nowMs()
  const waits: number[] = []
  let outcome: unknown = true
  let acceptedAfterMs = 0
  while (at.clock.nowMs() - startMs < forMs) {
    const one = await caller(kid, budgetMs)
    outcome = one.outcome
    if (one.tookMs > 2 * stepMs) waits.push(one.tookMs)
    if (outcome !== true) break
    acceptedAfterMs = at.clock.nowMs() - startMs
    at.clock.advance(1_000)
  }
  return { outcome, acceptedAfterMs, waits }
}

describe.each([1_500, 4_900])('from an issuer that takes %i ms', afterMs => {
  test('a withdrawn key stops working 11 s after the first caller of its old age, time and again', async () => {
    for (const [withdrawn, next] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ] as const) {
      at.issuer = { kids: [next], afterMs }
      at.clock.advance(maxAgeMs)
      const { outcome, acceptedAfterMs } = await callers(withdrawn, 60_000)
      expect(outcome).toBe(false)
      expect(acceptedAfterMs).toBeLessThanOrEqual(11_000 + 2 * stepMs)
      expect(at.clock.scheduled()).toBe(0)
    }
  })

  test('keys that stay are renewed: one caller waits 1 s, and one until the issuer answers', async () => {
    at.issuer = { kids: ['a'], afterMs }
    at.clock.advance(maxAgeMs)
    const { outcome, waits } = await callers('a', 200_000)
    expect(outcome).toBe(true)
    expect(waits).toHaveLength(2)
    expect(waits[0]).toBeLessThanOrEqual(1_000 + 2 * stepMs)
    expect(waits[1]).toBeLessThanOrEqual(afterMs + 2 * stepMs)
    expect(at.calls).toHaveLength(3)
    at.clock.advance(maxAgeMs)
    expect((await caller('a')).tookMs).toBeLessThanOrEqual(1_000 + 2 * stepMs)
  })

  test('a withdrawn key stops working 61 s after the last try that was in vain', async () => {
    at.issuer = 'silent'
    at.clock.advance(maxAgeMs)
    expect(await callers('a', 16_000)).toMatchObject({ outcome: true, waits: { length: 2 } })
    at.issuer = { kids: ['b'], afterMs }
    const { outcome, acceptedAfterMs } = await callers('a', 120_000)
    expect(outcome).toBe(false)
    expect(acceptedAfterMs).toBeLessThanOrEqual(61_000 + 2 * stepMs)
  })

  test('callers in a hurry cannot keep a withdrawn key alive', async () => {
    at.issuer = { kids: ['b'], afterMs }
    at.clock.advance(maxAgeMs)
    expect(await callers('a', 60_000, 1_400)).toMatchObject({ outcome: 'budget' })
    for (let i = 0; i < 20; i++) expect(await caller('a', 1_400)).toMatchObject({ outcome: 'budget' })
    expect(await caller('a')).toMatchObject({ outcome: false })
  })

  test('callers who wait together count as one try', async () => {
    at.issuer = { kids: ['b'], afterMs }
    at.clock.advance(maxAgeMs)
    const first = at.found('a')
    at.clock.advance(300)
    const second = at.found('a')
    expect(await at.clock.moving(Promise.all([first, second]))).toEqual([true, true])
    at.clock.advance(10_000)
    expect(await caller('a')).toMatchObject({ outcome: false })
  })
})

test('a silent issuer refuses nobody whose key is known, and takes a tenth of the time at most', async () => {
  at.issuer = 'silent'
  at.clock.advance(maxAgeMs)
  const { outcome, waits, acceptedAfterMs } = await callers('a', 660_000)
  expect(outcome).toBe(true)
  expect(Math.max(...waits)).toBeLessThanOrEqual(5_000 + 2 * stepMs)
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(acceptedAfterMs / 10 + 5_000)
  expect(waits.length).toBeGreaterThanOrEqual(18)
  expect(at.calls.slice(1).every(({ signal }) => signal.aborted)).toBe(true)
  expect(at.clock.scheduled()).toBe(0)
})

test('an issuer that refuses connections costs nobody a wait', async () => {
  at.issuer = outage
  at.clock.advance(maxAgeMs)
  expect(await callers('a', 120_000)).toMatchObject({ outcome: true, waits: [] })
})
