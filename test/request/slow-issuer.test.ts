import { expect, test } from 'vitest'
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
  w.clock.advance(10_000)
  w.logged.length = 0
  fetches = 0
  w.web.fetchJson = () => {
    fetches += 1
    return hanging()
  }
}

test('a hundred strangers with little time cause one fetch, and callers whose key is known wait for none', async () => {
  await worldWith()
  const codes: Record<string, number> = {}
  for (let i = 0; i < 100; i++) {
    const token = unsigned(w, `unknown-${i}`)
    const { code } = (await w.list({ token, more: [['Prefer', 'wait=0.3']] })).json()
    codes[code] = (codes[code] ?? 0) + 1
    expect((await w.list()).status).toBe(200)
  }
  expect(codes).toEqual({ wait_expired: 30, issuer_unavailable: 70 })
  expect(fetches).toBe(1)
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
  expect(w.loggedAs('table_busy')).toEqual([])
})
