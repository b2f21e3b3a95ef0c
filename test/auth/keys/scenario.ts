import { keyName } from '../../../lib/auth/algorithms.ts'
import { keySet } from '../../../lib/auth/keys/key-set.ts'
import type { Log } from '../../../lib/log.ts'
import { timeLimit } from '../../../lib/time.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { policyOf } from '../issuers.ts'
import { sharedKeys, signer } from '../token/signer.ts'

const live = new AbortController().signal
const pair = sharedKeys('trusted')
const jwk = (kid: string) => signer({ issuer: 'i', audience: 'a', nowMs: () => 0, kid, keys: pair }).publicJwk
const setOf = (kids: string[]) => ({ keys: kids.map(jwk) })

export const outage = new Error('connection refused')
/** Waits for all work that does not depend on the clock or the issuer. */
export const settle = () => new Promise(resolve => setImmediate(resolve))

/** What an issuer publishes: some kids, an outage, or nothing until `answer`. */
type Published = string[] | Error | 'hanging'

/** A key set, its issuer, and a caller. */
export function scenario() {
  const clock = fakeClock()
  const fetches: { signal: AbortSignal; answer(published: string[] | Error): void }[] = []
  const logged: object[] = []
  const log: Log = (event, facts) => logged.push({ event, ...facts })
  const fetchJson = (_: string, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const answer = (published: string[] | Error) =>
      published instanceof Error ? reject(published) : resolve(setOf(published))
    fetches.push({ signal, answer })
    if (it.issuer !== 'hanging') answer(it.issuer)
    return promise
  }
  const policy = policyOf({ issuer: 'i', audience: 'a', jwksUri: 'https://i/keys' })
  const set = keySet(policy, { clock, fetchJson })
  const it = {
    issuer: ['a'] as Published,
    ...{ clock, fetches, logged },
    warm: (signal = live) => set.warm({ log, signal }),
    /** Whether the key is found. */
    found: async (kid: string, signal = live) =>
      (await set.find(keyName('RS256', kid), { log, signal })) !== undefined,
    /** What becomes of a caller with so much time, which passes unless the issuer answers. */
    async foundWithin(ms: number, kid: string) {
      const limit = timeLimit(clock, clock.nowMs() + ms, () => 'budget')
      return clock.moving(it.found(kid, limit.signal).catch(reason => reason)).finally(() => limit.end())
    },
  }
  return it
}

export const unavailable = (message: string) => ({ code: 'issuer_unavailable', cause: { message } })
export const failed = (why = outage.message) => `https://i/keys: ${why}`
export const tookTooLong = failed('not fetched within 3000 ms')
export const logOf = (reason = failed()) => ({ event: 'key_fetch_failed', issuer: 'i', reason })
export const withoutThisKey = 'the keys were just fetched, without this one'
