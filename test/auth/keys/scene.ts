import { type KeySet, keySet } from '../../../lib/auth/keys/key-set.ts'
import { delay } from '../../../lib/time.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { issuersOf } from '../issuers.ts'
import { sharedKeys } from '../token/shared-keys.ts'
import { signer } from '../token/signer.ts'

interface Call {
  signal: AbortSignal
  answer(kids: string[]): void
}

/** An issuer under the test's control, and the key set that watches it. */
export interface KeyScene {
  clock: FakeClock
  set: KeySet
  /** What the issuer does: publishes these kids, perhaps slowly, fails, or keeps silent until it is answered for. */
  issuer: string[] | { kids: string[]; afterMs: number } | Error | 'silent'
  /** Every fetch so far. */
  calls: Call[]
  /** Every failed fetch that was reported. */
  failures: unknown[]
  /** Whether the key is found, for a token that the known key of this kid has signed, or for one that it has not. */
  found(kid: string, signal?: AbortSignal, isSigned?: boolean): Promise<boolean>
}

export const live = new AbortController().signal
export const unavailable = { code: 'issuer_unavailable' }
export const outage = new Error('connection refused')

/** Lets everything run that does not wait for time or the issuer. */
export const settle = () => new Promise(resolve => setImmediate(resolve))

const keys = sharedKeys('trusted')
const jwk = (kid: string) => signer({ issuer: 'i', audience: 'a', nowMs: () => 0, kid, keys }).publicJwk

export function keyScene(fetchJson?: (signal: AbortSignal) => Promise<unknown>): KeyScene {
  const [config] = issuersOf({ issuer: 'i', audience: 'a', jwksUri: 'https://i/jwks' })
  if (config === undefined) throw new Error('no issuer')
  const clock = fakeClock()
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const set = keySet(config, clock, (_, signal) => (fetchJson ?? answerTo)(signal), onFailure)
  const found = async (kid: string, signal = live, isSigned = true) =>
    (await set.find(kid, () => isSigned, signal)) !== undefined
  const scene: KeyScene = { clock, set, issuer: ['a'], calls: [], failures, found }
  return scene

  function answerTo(signal: AbortSignal): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const answer = (kids: string[]) => resolve({ keys: kids.map(jwk) })
    scene.calls.push({ signal, answer })
    const { issuer } = scene
    if (issuer instanceof Error) reject(issuer)
    else if (Array.isArray(issuer)) answer(issuer)
    else if (issuer !== 'silent') delay(clock, issuer.afterMs, signal).then(() => answer(issuer.kids), reject)
    return promise
  }
}
