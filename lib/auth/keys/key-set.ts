import { Failure, reasonOf } from '../../domain/failure.ts'
import type { Log } from '../../log.ts'
import { abortable, leftMs, throwIfOver } from '../../time.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { SigningKey } from '../token/signing-key.ts'
import { fetchKeys, type KeyPorts, noUsableKey } from './fetch-keys.ts'
import { type Keys, usableKeys } from './usable-keys.ts'

/** The request for which a token is verified. */
export interface KeyContext {
  log: Log
  signal: AbortSignal
}

export interface KeySet {
  /**
   * Undefined when the issuer has no key of that name.
   *
   * @throws Failure `issuer_unavailable` when that cannot be known; the signal's reason
   */
  find(name: string, context: KeyContext): Promise<SigningKey | undefined>
  /** Fetches the keys ahead of the first caller; never throws, because that caller tries again. */
  warm(signal: AbortSignal): Promise<void>
}

/** With the 5 s of a fetch, an unreachable issuer costs callers at most 5 s a minute. */
const longPauseMs = 55_000
/** After a fetch that was abandoned, or brought no usable key: the next one may bring the right keys. */
const shortPauseMs = 5_000
/** How much more time than the caller of an abandoned fetch the next one needs. */
const stepMs = 500

const askedInVain = new Error('the keys were just fetched for an unknown kid')

/** A time after a fetch in which no other one begins. */
interface Pause {
  beganAtMs: number
  lengthMs: number
  /** The age up to which known keys are used in it. */
  keysMaxSeconds: number
  /** A caller who has so much time left begins a fetch nevertheless; undefined: nobody does. */
  enoughMs?: number
  cause: unknown
}

/**
 * The issuer's keys, inlined or fetched.
 *
 * They are fetched when one is unknown, so that a new key works at once, and again when they are older than
 * `keysMaxAgeSeconds`, so that a withdrawn key stops working. A pause follows each fetch that has not brought the key.
 * infra/issuers.md, "Fetching keys", has its rules. They let no caller with a short time limit cause many fetches, keep a
 * withdrawn key in use, or keep a new one out.
 *
 * @throws Error when the configuration inlines keys of which none can be used
 */
export function keySet(issuer: IssuerConfig, ports: KeyPorts): KeySet {
  if (issuer.jwks !== undefined) return inlinedKeys(issuer, issuer.jwks)
  const { clock, fetchMaxMs } = ports
  const { keysMaxAgeSeconds } = issuer
  let known = { keys: new Map() as Keys, fetchedAtMs: Number.NEGATIVE_INFINITY }
  let { keysStaleMaxSeconds: staleMaxSeconds } = issuer
  let pause: Pause | undefined
  /** Resolves when the running fetch has ended, whatever its outcome. */
  let running: Promise<void> | undefined
  return { find, warm }

  async function find(name: string, context: KeyContext) {
    while (true) {
      const key = keyYoungerThan(keysMaxAgeSeconds, name)
      if (key !== undefined) return key
      if (running === undefined) return fetchUnlessPaused(name, context)
      // It may have begun before the key was published, or end with its caller: then this caller begins the next one.
      await abortable(running, context.signal)
    }
  }

  async function warm(signal: AbortSignal) {
    if (running === undefined) await share(renew(signal)).catch(() => {})
  }

  /** Lets others wait for a fetch. */
  function share<T>(fetch: Promise<T>): Promise<T> {
    const end = () => {
      running = undefined
    }
    running = fetch.then(end, end)
    return fetch
  }

  async function fetchUnlessPaused(name: string, context: KeyContext) {
    throwIfOver(context.signal)
    const callerMs = leftMs(context.signal)
    if (pause !== undefined && isFor(callerMs, pause)) return keyInPause(name, pause)
    return share(fetchFor(name, callerMs, context))
  }

  async function fetchFor(name: string, callerMs: number, { log, signal }: KeyContext) {
    try {
      await renew(signal)
    } catch (error) {
      pause = signal.aborted ? afterAbandoned(callerMs, log) : afterFailed(error, log)
      signal.throwIfAborted()
      return keyInPause(name, pause)
    }
    const key = known.keys.get(name)
    if (key === undefined) pause = afterAskedInVain()
    return key
  }

  function afterAbandoned(callerMs: number, log: Log): Pause {
    log('key_fetch_abandoned', { issuer: issuer.issuer, time_left_ms: callerMs })
    return {
      beganAtMs: clock.nowMs(),
      lengthMs: shortPauseMs,
      keysMaxSeconds: keysMaxAgeSeconds,
      enoughMs: Math.min(fetchMaxMs, callerMs + stepMs),
      cause: new Error(`a fetch of the keys was abandoned after the ${callerMs} ms of its caller`),
    }
  }

  function afterFailed(cause: unknown, log: Log): Pause {
    log('key_fetch_failed', { issuer: issuer.issuer, reason: reasonOf(cause) })
    return {
      beganAtMs: clock.nowMs(),
      lengthMs: cause === noUsableKey ? shortPauseMs : longPauseMs,
      keysMaxSeconds: staleMaxSeconds,
      cause,
    }
  }

  /** It is over when the other keys must be fetched again. */
  function afterAskedInVain(): Pause {
    return {
      beganAtMs: known.fetchedAtMs,
      lengthMs: Math.min(longPauseMs, keysMaxAgeSeconds * 1000),
      keysMaxSeconds: keysMaxAgeSeconds,
      cause: askedInVain,
    }
  }

  async function renew(signal: AbortSignal) {
    const fetchedAtMs = clock.nowMs()
    try {
      known = { keys: await fetchKeys(issuer, ports, signal), fetchedAtMs }
      staleMaxSeconds = issuer.keysStaleMaxSeconds
    } catch (error) {
      if (error === noUsableKey) staleMaxSeconds = keysMaxAgeSeconds
      throw error
    }
  }

  function isFor(callerMs: number, { beganAtMs, lengthMs, enoughMs }: Pause) {
    return isWithin(beganAtMs, lengthMs) && (enoughMs === undefined || callerMs < enoughMs)
  }

  function keyInPause(name: string, { beganAtMs, lengthMs, keysMaxSeconds, cause }: Pause) {
    const key = keyYoungerThan(keysMaxSeconds, name)
    if (key !== undefined) return key
    const retryAfterSeconds = Math.ceil((beganAtMs + lengthMs - clock.nowMs()) / 1000)
    throw new Failure('issuer_unavailable', { retryAfterSeconds }, cause)
  }

  function keyYoungerThan(seconds: number, name: string) {
    return isWithin(known.fetchedAtMs, seconds * 1000) ? known.keys.get(name) : undefined
  }

  /** Whether less than `lengthMs` has passed. What began in the future is over: the clock was ahead then. */
  function isWithin(beganAtMs: number, lengthMs: number) {
    const passedMs = clock.nowMs() - beganAtMs
    return passedMs >= 0 && passedMs < lengthMs
  }
}

function inlinedKeys({ issuer, algorithms }: IssuerConfig, jwks: unknown): KeySet {
  const keys = usableKeys(jwks, algorithms)
  if (keys.size === 0) throw new Error(`Configuration: no usable key in the jwks of ${issuer}`)
  return { find: async name => keys.get(name), warm: async () => {} }
}
