import { Failure } from '../../domain/failure.ts'
import { abortable, type Clock, timeLimit } from '../../time.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { SigningKey } from '../token/signing-key.ts'
import { discoverJwksUri } from './discovery.ts'
import type { FetchJson } from './fetch-json.ts'
import { type Keys, usableKeys } from './usable-keys.ts'

export interface KeySet {
  /**
   * Undefined when the issuer has no key of that name.
   *
   * @throws Failure `issuer_unavailable` when that cannot be known; the signal's reason
   */
  find(name: string, signal: AbortSignal): Promise<SigningKey | undefined>
  /** Fetches the keys ahead of the first caller; never throws, because that caller tries again. */
  warm(signal: AbortSignal): Promise<void>
}

/** How long one fetch may take, discovery included. */
const fetchMaxMs = 5_000
/** A minute with the fetch before it: callers wait 5 s in a minute for an issuer that does not answer. */
const coolDownMs = 55_000
const tookTooLong = new Error(`not fetched within ${fetchMaxMs} ms`)
const askedInVain = new Error('the keys were just fetched for an unknown kid')

/**
 * The issuer's keys, inlined or fetched.
 *
 * They are fetched when one is unknown, so that a new key works at once, and again when they are older than
 * `keysMaxAgeSeconds`, so that a withdrawn key stops working.
 *
 * When a fetch fails, or does not bring the unknown key, a cool-down begins, in which nothing is fetched. Known keys are
 * used, up to the age of `keysStaleMaxSeconds`. An unknown key is `issuer_unavailable`, because it may be published by now.
 *
 * One fetch runs at a time. It ends with the caller who began it, and then begins no cool-down: otherwise a caller with a
 * short time limit could keep a withdrawn key in use.
 *
 * @param onFailure is called with the cause of each failed fetch, once in 55 s at most
 * @throws Error when the configuration inlines keys of which none can be used
 */
export function keySet(
  issuer: IssuerConfig,
  clock: Clock,
  fetchJson: FetchJson,
  onFailure: (cause: unknown) => void,
): KeySet {
  if (issuer.jwks !== undefined) return inlinedKeys(issuer, issuer.jwks)
  let known = { keys: new Map() as Keys, fetchedAtMs: Number.NEGATIVE_INFINITY }
  let coolDown = { endsAtMs: Number.NEGATIVE_INFINITY, cause: undefined as unknown }
  /** Resolves when the running fetch has ended, whatever its outcome. */
  let running: Promise<void> | undefined
  return { find, warm }

  async function find(name: string, signal: AbortSignal) {
    while (true) {
      const key = keyYoungerThan(issuer.keysMaxAgeSeconds, name)
      if (key !== undefined) return key
      if (clock.nowMs() < coolDown.endsAtMs) return keyInCoolDown(name)
      if (running === undefined) return share(fetchFor(name, signal))
      // It may have begun before the key was published, or end with its caller: then this caller begins the next one.
      await abortable(running, signal)
    }
  }

  async function warm(signal: AbortSignal) {
    if (running === undefined) await share(fetchKeys(signal)).catch(() => {})
  }

  /** Lets others wait for a fetch. */
  function share<T>(fetch: Promise<T>): Promise<T> {
    const end = () => {
      running = undefined
    }
    running = fetch.then(end, end)
    return fetch
  }

  async function fetchFor(name: string, signal: AbortSignal) {
    try {
      await fetchKeys(signal)
    } catch (cause) {
      signal.throwIfAborted()
      coolDown = { endsAtMs: clock.nowMs() + coolDownMs, cause }
      onFailure(cause)
      return keyInCoolDown(name)
    }
    const key = known.keys.get(name)
    if (key === undefined) {
      // It is over when the other keys must be fetched again.
      const lengthMs = Math.min(coolDownMs, issuer.keysMaxAgeSeconds * 1000)
      coolDown = { endsAtMs: known.fetchedAtMs + lengthMs, cause: askedInVain }
    }
    return key
  }

  async function fetchKeys(signal: AbortSignal) {
    signal.throwIfAborted()
    const fetchedAtMs = clock.nowMs()
    const limit = timeLimit(clock, fetchedAtMs + fetchMaxMs, () => tookTooLong, signal)
    try {
      const jwks = await abortable(fetchJwks(limit.signal), limit.signal)
      known = { keys: usableKeys(jwks, issuer.algorithms), fetchedAtMs }
    } finally {
      limit.end()
    }
  }

  /** The URL is discovered with each fetch, because an issuer may move its keys. */
  async function fetchJwks(signal: AbortSignal) {
    return fetchJson(issuer.jwksUri ?? (await discoverJwksUri(issuer.issuer, fetchJson, signal)), signal)
  }

  function keyInCoolDown(name: string) {
    const key = keyYoungerThan(issuer.keysStaleMaxSeconds, name)
    if (key !== undefined) return key
    const retryAfterSeconds = Math.ceil((coolDown.endsAtMs - clock.nowMs()) / 1000)
    throw new Failure('issuer_unavailable', { retryAfterSeconds }, coolDown.cause)
  }

  function keyYoungerThan(seconds: number, name: string) {
    return clock.nowMs() - known.fetchedAtMs < seconds * 1000 ? known.keys.get(name) : undefined
  }
}

function inlinedKeys({ issuer, algorithms }: IssuerConfig, jwks: unknown): KeySet {
  const keys = usableKeys(jwks, algorithms)
  if (keys.size === 0) throw new Error(`Configuration: no usable key in the jwks of ${issuer}`)
  return { find: async name => keys.get(name), warm: async () => {} }
}
