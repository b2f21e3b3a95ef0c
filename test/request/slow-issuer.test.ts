import { beforeEach, describe, expect, test } from 'vitest'
import type { TestRequest } from '../support/api-request.ts'
import { fetchedKeys, type World, world } from '../support/world.ts'

/** The requests of strangers, whose tokens are not signed by the issuer, while it hangs. */
const hanging = () => new Promise<never>(() => {})
const unsigned = (w: World, kid: string) => `${w.token({}, { kid }).split('.', 2).join('.')}.c2ln`

let w: World
let fetches: number

async function worldWith(settings: Record<string, string> = {}) {
  w = await world({ ...fetchedKeys, ...settings })
  w.web.fetchJson = async () => w.jwks
  expect((await w.list()).status).toBe(200)
  w.logged.length = 0
  fetches = 0
  w.web.fetchJson = () => {
    fetches += 1
    return hanging()
  }
}

describe('a hundred requests with little time', () => {
  beforeEach(() => worldWith())

  async function hundred(kid: (i: number) => string) {
    const codes: Record<string, number> = {}
    for (let i = 0; i < 100; i++) {
      const more: [string, string][] = [['Prefer', 'wait=0.3']]
      const { code } = (await w.list({ token: unsigned(w, kid(i)), more })).json()
      codes[code] = (codes[code] ?? 0) + 1
    }
    return codes
  }

  test.each([
    ['unknown kids', (i: number) => `unknown-${i}`, 0],
    ['a known kid, when its key is too old', () => 'key-1', 300_000],
  ])('and %s cause one fetch', async (_, kid, ageMs) => {
    w.clock.advance(ageMs)
    expect(await hundred(kid)).toEqual({ wait_expired: 1, issuer_unavailable: 99 })
    expect(fetches).toBe(1)
    expect(w.loggedAs('key_fetch_abandoned')).toMatchObject([{ request_id: 'request-1', time_left_ms: 150 }])
  })
})

test.each([
  [28, 5_000],
  [5, 2_425],
])('with requests of at most %i s, known keys are used after %i ms', async (maxWaitSeconds, ms) => {
  await worldWith({ MAX_WAIT_SECONDS: String(maxWaitSeconds) })
  w.clock.advance(300_000)
  const answer = w.list()
  const beganAtMs = w.clock.nowMs()
  await new Promise(resolve => setImmediate(resolve))
  w.clock.advance(ms)
  expect((await answer).status).toBe(200)
  expect(w.clock.nowMs() - beganAtMs).toBe(ms)
})

test.each<[string, Partial<TestRequest>, beforeMs: number]>([
  ['with a wait of 0 and no token', { headers: [['Prefer', 'wait=0']] }, 0],
  ['that had the longest wait', {}, 9_000],
])('no alarm counts the expired time of a stranger %s', async (_, request, beforeMs) => {
  await worldWith({ MAX_WAIT_SECONDS: '10' })
  const receivedAtMs = w.clock.nowMs() - beforeMs
  const answer = w.list({ token: unsigned(w, 'unknown'), receivedAtMs, ...request })
  await new Promise(resolve => setImmediate(resolve))
  w.clock.advance(1_000)
  expect((await answer).json().code).toBe('wait_expired')
  expect([...w.loggedAs('budget_expired'), ...w.loggedAs('table_busy')]).toEqual([])
})
