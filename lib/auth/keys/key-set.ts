import { Failure } from '../../domain/failure.ts'
import type { Log } from '../../log.ts'
import { abortable, throwIfOver } from '../../time.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { SigningKey } from '../token/signing-key.ts'
import { fetchKeys, fetchMaxMs, type KeyPorts } from './fetch-keys.ts'
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
  warm(context: KeyContext): Promise<void>
}

/** Older keys are fetched again before they are used, so that a withdrawn key stops working. */
const maxAgeMs = 300_000
/** The age up to which known keys are used while fetches fail: an issuer may be down for a day. */
const staleMaxMs = 86_400_000
/** From the start of a fetch to that of the next one, whoever asks. */
const fetchEveryMs = 10_000
/** A fetch that still runs by then was frozen with the environment: its own limit has passed. */
const frozenAfterMs = fetchMaxMs + 500

const withoutThisKey = new Error('the keys were just fetched, without this one')
const unavailable = (outcome: Keys | Error) =>
  new Failure('issuer_unavailable', {}, outcome instanceof Error ? outcome : withoutThisKey)

interface Known {
  keys: Keys
  fetchedAtMs: number
  /**
   * They are used for `maxAgeMs` from here: from the fetch that brought them, then from each that fails. A fetch that is
   * frozen does neither, so an environment that is always frozen does not go on with withdrawn keys for a day.
   */
  usableFromMs: number
}

/** A fetch of the environment: callers wait for it or leave, but do not end it. */
interface Fetch {
  beganAtMs: number
  /** Undefined while it runs. */
  outcome: Keys | Error | undefined
  /** Whether it has brought the issuer's keys, which may be none; never rejects. */
  ended: Promise<boolean>
}

/**
 * The issuer's keys, inlined or fetched: when one is unknown, so that a new key works at once, and when they are too old.
 *
 * @throws Error when the configuration inlines keys of which none can be used
 */
export function keySet(issuer: IssuerConfig, ports: KeyPorts): KeySet {
  if (issuer.jwks !== undefined) return inlinedKeys(issuer, issuer.jwks)
  const { clock } = ports
  const never = Number.NEGATIVE_INFINITY
  let known: Known = { keys: new Map(), fetchedAtMs: never, usableFromMs: never }
  let last: Fetch | undefined
  return { find, warm }

  async function find(name: string, context: KeyContext): Promise<SigningKey | undefined> {
    throwIfOver(context.signal)
    const key = usableKey(name)
    if (key !== undefined && isWithin(known.fetchedAtMs, maxAgeMs)) return key
    const others = currentFetch()
    const fetch = others ?? begin(context.log)
    if (key !== undefined) return key
    if (fetch.outcome !== undefined) throw unavailable(fetch.outcome)
    const isAnswered = await abortable(fetch.ended, context.signal)
    // The fetch of others may have begun before the key was published.
    return isAnswered && fetch !== others ? known.keys.get(name) : find(name, context)
  }

  async function warm({ log, signal }: KeyContext) {
    const { ended } = currentFetch() ?? begin(log)
    const isAnsweredOrLeft = await abortable(ended, signal).catch(() => true)
    if (!isAnsweredOrLeft) last = undefined // so that the first caller tries again
  }

  function usableKey(name: string): SigningKey | undefined {
    const isUsable = isWithin(known.fetchedAtMs, staleMaxMs) && isWithin(known.usableFromMs, maxAgeMs)
    return isUsable ? known.keys.get(name) : undefined
  }

  /** The fetch after which, for now, no other begins: it runs, or it began less than ten seconds ago. */
  function currentFetch(): Fetch | undefined {
    if (last === undefined) return undefined
    const lengthMs = last.outcome === undefined ? frozenAfterMs : fetchEveryMs
    return isWithin(last.beganAtMs, lengthMs) ? last : undefined
  }

  function begin(log: Log): Fetch {
    const outcome = fetchKeys(issuer, ports).catch((cause: Error) => cause)
    const ended = outcome.then(outcome => end(fetch, outcome, log))
    const fetch: Fetch = { beganAtMs: clock.nowMs(), outcome: undefined, ended }
    last = fetch
    return fetch
  }

  function end(fetch: Fetch, outcome: Keys | Error, log: Log): boolean {
    if (fetch !== currentFetch()) return false // it was frozen
    fetch.outcome = outcome
    if (outcome instanceof Error) {
      known.usableFromMs = clock.nowMs()
      log('key_fetch_failed', { issuer: issuer.issuer, reason: outcome.message })
      return false
    }
    known = { keys: outcome, fetchedAtMs: fetch.beganAtMs, usableFromMs: fetch.beganAtMs }
    return true
  }

  /** Whether less than `lengthMs` has passed. What began in the future is over: the clock was ahead then. */
  function isWithin(beganAtMs: number, lengthMs: number): boolean {
    const passedMs = clock.nowMs() - beganAtMs
    return passedMs >= 0 && passedMs < lengthMs
  }
}

function inlinedKeys({ issuer, algorithms }: IssuerConfig, jwks: unknown): KeySet {
  const keys = usableKeys(jwks, algorithms)
  if (keys.size === 0) throw new Error(`Configuration: no usable key in the jwks of ${issuer}`)
  return { find: async name => keys.get(name), warm: async () => {} }
}
