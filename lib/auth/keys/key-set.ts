import { Failure } from '../../domain/failure.ts'
import { type Clock, deadline } from '../../time.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { SigningKey } from '../token/signing-key.ts'
import { discoverJwksUri } from './discovery.ts'
import { fetchAllowance } from './fetch-allowance.ts'
import type { FetchJson } from './fetch-json.ts'
import { singleFlight } from './single-flight.ts'
import { type Keys, usableKeys } from './usable-keys.ts'

/** The keys of one issuer. */
export interface KeySet {
  /**
   * The key of that name, or undefined when the issuer has none.
   *
   * @param isAccepted is asked before keys are fetched again for the token
   * @throws Failure `issuer_unavailable` when that cannot be known; the signal's reason
   */
  find(name: string, isAccepted: IsAccepted, signal: AbortSignal): Promise<SigningKey | undefined>
  /** Fetches the keys ahead of the first caller; never throws, because that caller tries again. */
  warm(signal: AbortSignal): Promise<void>
}

/** Whether a key accepts the token for which it is looked up. */
type IsAccepted = (key: SigningKey) => boolean

/** How long one try to fetch the keys may take, discovery included. */
const tryMs = 5_000
/** The pause after a failed fetch. */
const pauseMs = 55_000
const noPause = { endsAtMs: Number.NEGATIVE_INFINITY, cause: undefined as unknown }
const floodOfKids = new Error('unknown kids have used up the allowance of fetches')

/**
 * The issuer's keys, inlined or fetched.
 *
 * @param onFailure is called with the cause of each failed fetch, once in 55 s at most
 * @throws Error when the configuration inlines keys of which none can be used
 */
export function keySet(
  issuer: IssuerConfig,
  clock: Clock,
  fetchJson: FetchJson,
  onFailure: (cause: unknown) => void = () => {},
): KeySet {
  if (issuer.jwks === undefined) return fetchedKeys(issuer, clock, fetchJson, onFailure)
  const keys = usableKeys(issuer.jwks, issuer.algorithms)
  if (keys.size === 0) throw new Error(`Configuration: no usable key in the jwks of ${issuer.issuer}`)
  return { find: async name => keys.get(name), warm: async () => {} }
}

/**
 * Keys that are fetched, and fetched again.
 *
 * Keys older than `keysMaxAgeSeconds` are fetched again before they are used, so that a withdrawn key stops working.
 * When that fails, there is a pause of 55 s: known keys are used, up to the age of `keysStaleMaxSeconds`, and an unknown
 * key is `issuer_unavailable` immediately. A fetch that its caller's time limit aborts starts no pause: otherwise a caller
 * with a short limit could keep a withdrawn key in use.
 *
 * An unknown key fetches the keys, too, so that a new key works at once; see `fetchAllowance` for the limit. Past
 * `keysMaxAgeSeconds`, a token that the known key of that name has not signed counts as one with an unknown key: it is signed
 * with the key's successor, or forged.
 */
function fetchedKeys(
  issuer: IssuerConfig,
  clock: Clock,
  fetchJson: FetchJson,
  onFailure: (cause: unknown) => void,
): KeySet {
  let known: { keys: Keys; fetchedAtMs: number } | undefined
  let pause = noPause
  const allowance = fetchAllowance(clock)
  const flight = singleFlight(async signal => {
    const fetchedAtMs = clock.nowMs()
    const jwks = await deadline(clock, tryMs, signal, fetchJwks)
    known = { keys: usableKeys(jwks, issuer.algorithms), fetchedAtMs }
    pause = noPause
  })
  return { find, warm: signal => flight.join(signal).catch(() => {}) }

  async function find(name: string, isAccepted: IsAccepted, signal: AbortSignal) {
    const key = knownKey(name)
    if (key !== undefined && (isYounger(issuer.keysMaxAgeSeconds) || isPaused())) return key
    if (key === undefined || !isAccepted(key)) return fetchUnknown(name, signal)
    try {
      await fetchKeys(signal)
      return knownKey(name)
    } catch {
      signal.throwIfAborted()
      return key
    }
  }

  async function fetchUnknown(name: string, signal: AbortSignal) {
    if (isPaused()) throw unavailable()
    if (flight.running()) {
      // That fetch may have begun before the key was published: without the key, another one is needed.
      await fetchKeys(signal)
      if (knownKey(name) !== undefined) return knownKey(name)
    }
    if (flight.running()) await fetchKeys(signal)
    else if (allowance.admits()) await allowance.charge(fetchKeys(signal))
    else if (!isYounger(issuer.keysMaxAgeSeconds)) throw new Failure('issuer_unavailable', {}, floodOfKids)
    return knownKey(name)
  }

  async function fetchKeys(signal: AbortSignal) {
    try {
      await flight.join(signal)
    } catch (cause) {
      signal.throwIfAborted()
      if (!isPaused()) onFailure(cause)
      pause = { endsAtMs: clock.nowMs() + pauseMs, cause }
      throw unavailable()
    }
  }

  function isPaused() {
    return clock.nowMs() < pause.endsAtMs
  }

  function unavailable() {
    const retryAfterSeconds = Math.ceil((pause.endsAtMs - clock.nowMs()) / 1000)
    return new Failure('issuer_unavailable', { retryAfterSeconds }, pause.cause)
  }

  /** The URL is discovered with each fetch, because an issuer may move its keys. */
  async function fetchJwks(signal: AbortSignal) {
    return fetchJson(issuer.jwksUri ?? (await discoverJwksUri(issuer.issuer, fetchJson, signal)), signal)
  }

  function knownKey(name: string) {
    return isYounger(issuer.keysStaleMaxSeconds) ? known?.keys.get(name) : undefined
  }

  function isYounger(seconds: number) {
    return known !== undefined && clock.nowMs() - known.fetchedAtMs < seconds * 1000
  }
}
