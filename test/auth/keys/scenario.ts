import { keyName } from '../../../lib/auth/algorithms.ts'
import { type KeySet, keySet } from '../../../lib/auth/keys/key-set.ts'
import type { Log } from '../../../lib/log.ts'
import { timeLimit } from '../../../lib/time.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { keyPorts, policyOf } from '../issuers.ts'
import { type Members, sharedKeys, signer } from '../token/signer.ts'

interface Call {
  signal: AbortSignal
  answer(kids: string[]): void
}

/** A key set with a fake issuer. */
export interface KeyScenario {
  clock: FakeClock
  set: KeySet
  /** The issuer's behaviour: it publishes these kids, fails, or hangs until `answer`. */
  issuer: string[] | Error | 'hanging'
  /** The fetches so far. */
  calls: Call[]
  /** The lines of the log. */
  logged: object[]
  /** Whether the key is found. */
  found(kid: string, signal?: AbortSignal): Promise<boolean>
}

export const live = new AbortController().signal
export const outage = new Error('connection refused')

/** The failure of a token that cannot be judged for so long. */
export const unavailableFor = (retryAfterSeconds: number, cause: unknown = outage) => ({
  code: 'issuer_unavailable',
  facts: { retryAfterSeconds },
  cause,
})

/** The log line of a fetch that failed. */
export const failed = (reason = outage.message) => ({ event: 'key_fetch_failed', issuer: 'i', reason })

/** Waits for all work that does not depend on the clock or the issuer. */
export const settle = () => new Promise(resolve => setImmediate(resolve))

const keys = sharedKeys('trusted')
const jwk = (kid: string) => signer({ issuer: 'i', audience: 'a', nowMs: () => 0, kid, keys }).publicJwk

export function keyScenario(settings: Members = {}): KeyScenario {
  const config = policyOf({ issuer: 'i', audience: 'a', jwksUri: 'https://i/jwks', ...settings })
  const clock = fakeClock()
  const logged: object[] = []
  const log: Log = (event, facts) => logged.push({ event, ...facts })
  const set = keySet(config, keyPorts({ clock, fetchJson: (_, signal) => answerTo(signal) }))
  const found = async (kid: string, signal = live) =>
    (await set.find(keyName('RS256', kid), { log, signal })) !== undefined
  const scenario: KeyScenario = { clock, set, issuer: ['a'], calls: [], logged, found }
  return scenario

  function answerTo(signal: AbortSignal): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const answer = (kids: string[]) => resolve({ keys: kids.map(jwk) })
    scenario.calls.push({ signal, answer })
    const { issuer } = scenario
    if (issuer instanceof Error) reject(issuer)
    else if (issuer !== 'hanging') answer(issuer)
    return promise
  }
}

/** A caller with so much time left, which passes unless the issuer has answered. */
export async function callerWith(keys: KeyScenario, leftMs: number, kid: string) {
  const limit = timeLimit(keys.clock, keys.clock.nowMs() + leftMs, () => 'budget')
  try {
    return await keys.clock.moving(keys.found(kid, limit.signal).catch(reason => reason))
  } finally {
    limit.end()
  }
}

/** A caller whose time limit ends before the issuer's answer, which is still to come. */
export async function impatientCaller(keys: KeyScenario, kid: string) {
  const stop = new AbortController()
  const outcome = keys.found(kid, stop.signal).catch(reason => reason)
  await settle()
  stop.abort('budget')
  return outcome
}
