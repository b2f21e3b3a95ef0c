import { keyName } from '../../../lib/auth/algorithms.ts'
import { type KeySet, keySet } from '../../../lib/auth/keys/key-set.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { policyOf } from '../issuers.ts'
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
  /** The reported failures. */
  failures: unknown[]
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

/** Waits for all work that does not depend on the clock or the issuer. */
export const settle = () => new Promise(resolve => setImmediate(resolve))

const keys = sharedKeys('trusted')
const jwk = (kid: string) => signer({ issuer: 'i', audience: 'a', nowMs: () => 0, kid, keys }).publicJwk

export function keyScenario(settings: Members = {}): KeyScenario {
  const config = policyOf({ issuer: 'i', audience: 'a', jwksUri: 'https://i/jwks', ...settings })
  const clock = fakeClock()
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const set = keySet(config, clock, (_, signal) => answerTo(signal), onFailure)
  const found = async (kid: string, signal = live) =>
    (await set.find(keyName('RS256', kid), signal)) !== undefined
  const scenario: KeyScenario = { clock, set, issuer: ['a'], calls: [], failures, found }
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

/** A caller whose time limit ends before the issuer's answer, which is still to come. */
export async function impatientCaller(keys: KeyScenario, kid: string) {
  const stop = new AbortController()
  const outcome = keys.found(kid, stop.signal).catch(reason => reason)
  await settle()
  stop.abort('budget')
  return outcome
}
