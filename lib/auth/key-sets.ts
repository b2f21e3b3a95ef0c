import type { Clock } from '../clock.ts'
import { Failure } from '../domain/failure.ts'
import type { IssuerConfig } from './issuer-config.ts'
import { type FetchKeys, type KeySource, keySource } from './key-source.ts'
import { refreshLimit } from './refresh-limit.ts'
import { sharedCall } from './shared-call.ts'
import { within } from './until.ts'
import { type Keys, type SigningKey, usableKeys } from './usable-keys.ts'

export type { FetchKeys } from './key-source.ts'

/** The keys of one issuer. */
export interface KeySet {
  /**
   * The key of that `kid`, or undefined when the issuer has none.
   *
   * @throws Failure `issuer_unavailable` when that cannot be known; the signal's reason
   */
  find(kid: string, signal: AbortSignal): Promise<SigningKey | undefined>
  /** Fetches what will be needed; a failure is kept quiet, for it only means that the first caller waits. */
  warm(signal: AbortSignal): Promise<void>
}

const tryMs = 5_000
const patienceMs = 1_000
const retryMs = 10_000

/**
 * The issuer's keys, inlined or fetched.
 *
 * @throws Error when the configuration inlines keys of which none can be used
 */
export function keySet(issuer: IssuerConfig, clock: Clock, fetchKeys: FetchKeys): KeySet {
  if (issuer.jwks === undefined) return fetchedKeys(keySource(issuer, fetchKeys), issuer, clock)
  const keys = usableKeys(issuer.jwks, issuer.algorithms)
  if (keys.size === 0) throw new Error(`Configuration: no usable key in the jwks of ${issuer.issuer}`)
  return { find: async kid => keys.get(kid), warm: async () => {} }
}

/**
 * Keys that are fetched, and fetched again when they are old or a `kid` is not among them.
 *
 * - A withdrawn key stops working: keys past `keysMaxAgeSeconds` are used only after a try to fetch them anew.
 * - An outage refuses nobody whose key is known: such a caller waits 1 s at most, then goes on with the known key,
 *   and the next try is 10 s away. A try that its caller cut short is no outage: an impatient caller cannot keep a
 *   withdrawn key alive.
 * - A new key works at once: an unknown `kid` fetches the set, and never settles for a fetch that began before it
 *   came. Strange `kid`s can use up the allowance (see `refreshLimit`); then a new key waits 5 s at most, for the
 *   flood itself fetches it.
 */
function fetchedKeys(source: KeySource, issuer: IssuerConfig, clock: Clock): KeySet {
  let known: { keys: Keys; fetchedAtMs: number } | undefined
  let failedAtMs = Number.NEGATIVE_INFINITY
  const limit = refreshLimit(clock)
  const refresh = sharedCall(async signal => {
    const fetchedAtMs = clock.nowMs()
    const jwks = await within(clock, tryMs, signal, source)
    known = { keys: usableKeys(jwks, issuer.algorithms), fetchedAtMs }
  })
  return { find, warm: signal => refresh.join(signal).catch(() => {}) }

  async function find(kid: string, signal: AbortSignal) {
    if (keyOf(kid) === undefined) return seek(kid, signal)
    if (!isYounger(issuer.keysMaxAgeSeconds)) await renew(signal)
    return keyOf(kid)
  }

  async function renew(signal: AbortSignal) {
    if (clock.nowMs() - failedAtMs < retryMs) return
    try {
      await within(clock, patienceMs, signal, refresh.join)
    } catch {
      signal.throwIfAborted()
      failedAtMs = clock.nowMs()
    }
  }

  async function seek(kid: string, signal: AbortSignal) {
    if (refresh.running()) {
      await ask(signal)
      if (keyOf(kid) !== undefined) return keyOf(kid)
    }
    // A call that runs by now began after this caller came.
    if (!refresh.running() && !limit.admits(kid)) {
      if (isYounger(issuer.keysMaxAgeSeconds)) return undefined
      throw new Failure('issuer_unavailable', {}, new Error('the allowance of fetches is used up'))
    }
    await ask(signal)
    if (keyOf(kid) === undefined) limit.missed(kid)
    return keyOf(kid)
  }

  async function ask(signal: AbortSignal) {
    try {
      await refresh.join(signal)
    } catch (cause) {
      signal.throwIfAborted()
      throw new Failure('issuer_unavailable', {}, cause)
    }
  }

  function keyOf(kid: string) {
    return isYounger(issuer.keysStaleMaxSeconds) ? known?.keys.get(kid) : undefined
  }

  function isYounger(seconds: number) {
    return known !== undefined && clock.nowMs() - known.fetchedAtMs < seconds * 1000
  }
}
