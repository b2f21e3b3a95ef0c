import { keyName } from '../../../lib/auth/algorithms.ts'
import { type KeySet, keySet } from '../../../lib/auth/keys/key-set.ts'
import { delay } from '../../../lib/time.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { policyOf } from '../issuers.ts'
import { sharedKeys } from '../token/shared-keys.ts'
import { signer } from '../token/signer.ts'

interface Call {
  signal: AbortSignal
  answer(kids: string[]): void
}

/** A key set with a fake issuer. */
export interface KeyScenario {
  clock: FakeClock
  set: KeySet
  /** The issuer's behaviour: it publishes these kids, immediately or later, fails, or hangs until `answer`. */
  issuer: string[] | { kids: string[]; afterMs: number } | Error | 'hanging'
  /** The fetches so far. */
  calls: Call[]
  /** The reported failures. */
  failures: unknown[]
  /** Whether the key is found. @param isSigned whether the known key of this kid has signed the token */
  found(kid: string, signal?: AbortSignal, isSigned?: boolean): Promise<boolean>
}

export const live = new AbortController().signal
export const unavailable = { code: 'issuer_unavailable' }
export const outage = new Error('connection refused')

/** Waits for all work that does not depend on the clock or the issuer. */
export const settle = () => new Promise(resolve => setImmediate(resolve))

const keys = sharedKeys('trusted')
const jwk = (kid: string) => signer({ issuer: 'i', audience: 'a', nowMs: () => 0, kid, keys }).publicJwk

export function keyScenario(): KeyScenario {
  const config = policyOf({ issuer: 'i', audience: 'a', jwksUri: 'https://i/jwks' })
  const clock = fakeClock()
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const set = keySet(config, clock, (_, signal) => answerTo(signal), onFailure)
  const found = async (kid: string, signal = live, isSigned = true) =>
    (await set.find(keyName('RS256', kid), () => isSigned, signal)) !== undefined
  const scenario: KeyScenario = { clock, set, issuer: ['a'], calls: [], failures, found }
  return scenario

  function answerTo(signal: AbortSignal): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const answer = (kids: string[]) => resolve({ keys: kids.map(jwk) })
    scenario.calls.push({ signal, answer })
    const { issuer } = scenario
    if (issuer instanceof Error) reject(issuer)
    else if (Array.isArray(issuer)) answer(issuer)
    else if (issuer !== 'hanging')
      delay(clock, issuer.afterMs, signal).then(() => answer(issuer.kids), reject)
    return promise
  }
}
