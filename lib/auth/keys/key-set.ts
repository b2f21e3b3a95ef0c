import { type Clock, deadline } from '../../time.ts'
import { Failure } from '../../domain/failure.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import { discoverJwksUri } from './discovery.ts'
import type { FetchJson } from './fetch-json.ts'
import { refreshLimit } from './refresh-limit.ts'
import { singleFlight } from './single-flight.ts'
import { type Keys, type SigningKey, usableKeys } from './usable-keys.ts'

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
/** A pause is so many times as long as the try before it may take: waiting in vain takes a tenth of the time at most. */
const pauseFactor = 10
/** How long the first try at a renewal is waited for, and from when on. */
const firstTry = { waitMs: patienceMs, fromMs: Number.NEGATIVE_INFINITY }

/**
 * The issuer's keys, inlined or fetched.
 *
 * @throws Error when the configuration inlines keys of which none can be used
 */
export function keySet(issuer: IssuerConfig, clock: Clock, fetchJson: FetchJson): KeySet {
  if (issuer.jwks === undefined) return fetchedKeys(issuer, clock, fetchJson)
  const keys = usableKeys(issuer.jwks, issuer.algorithms)
  if (keys.size === 0) throw new Error(`Configuration: no usable key in the jwks of ${issuer.issuer}`)
  return { find: async kid => keys.get(kid), warm: async () => {} }
}

/**
 * Keys that are fetched, and fetched again when they are old or a `kid` is not among them.
 *
 * - A withdrawn key stops working: keys past `keysMaxAgeSeconds` are used only after a try to fetch them anew.
 * - An outage refuses nobody whose key is known: when the try fails, the caller goes on with the known key. Tries that
 *   fail in a row wait 1 s, 5 s, 1 s, 5 s …, each followed by a pause of ten times as long, in which all go on with
 *   the known key. So a silent issuer takes a tenth of the time at most, and one that is slow, but answers within 5 s,
 *   is heard at the second try.
 * - The worst case: an issuer that is slow lets a withdrawn key in for 11 s (1 s, then 10 s) from the first caller
 *   after `keysMaxAgeSeconds` on, in each process; after an outage it is 66 s from its end (5 s, 50 s, 1 s, 10 s); and
 *   as long as no answer comes within 5 s, it is `keysStaleMaxSeconds`.
 * - A try that its caller cut short counts for nothing: an impatient caller cannot keep a withdrawn key alive. The
 *   price: while no answer comes, who grants less time than the try takes is told `wait_expired`, as is the next one,
 *   until somebody waits to the end.
 * - A new key works at once: an unknown `kid` fetches the set, and never settles for a fetch that began before it
 *   came. Strange `kid`s can use up the allowance (see `refreshLimit`); then a new key waits 5 s at most, for the
 *   flood itself fetches it.
 */
function fetchedKeys(issuer: IssuerConfig, clock: Clock, fetchJson: FetchJson): KeySet {
  let known: { keys: Keys; fetchedAtMs: number } | undefined
  let nextTry = firstTry
  const limit = refreshLimit(clock)
  const refresh = singleFlight(async signal => {
    const fetchedAtMs = clock.nowMs()
    const jwks = await deadline(clock, tryMs, signal, fetchJwks)
    known = { keys: usableKeys(jwks, issuer.algorithms), fetchedAtMs }
    nextTry = firstTry
  })
  return { find, warm: signal => refresh.join(signal).catch(() => {}) }

  /** The URL is discovered anew each time: an issuer that has moved its keys would else seem to have no new ones. */
  async function fetchJwks(signal: AbortSignal) {
    return fetchJson(issuer.jwksUri ?? (await discoverJwksUri(issuer.issuer, fetchJson, signal)), signal)
  }

  async function find(kid: string, signal: AbortSignal) {
    if (keyOf(kid) === undefined) return seek(kid, signal)
    if (!isYounger(issuer.keysMaxAgeSeconds)) await renew(signal)
    return keyOf(kid)
  }

  async function renew(signal: AbortSignal) {
    const { waitMs, fromMs } = nextTry
    if (clock.nowMs() < fromMs) return
    try {
      await deadline(clock, waitMs, signal, refresh.join)
    } catch {
      signal.throwIfAborted()
      // By what this caller waited, not by what is next: those who wait together fail one after the other, as one try.
      nextTry = {
        waitMs: waitMs === patienceMs ? tryMs : patienceMs,
        fromMs: clock.nowMs() + pauseFactor * waitMs,
      }
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
