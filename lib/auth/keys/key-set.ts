import { Failure } from '../../domain/failure.ts'
import type { Log } from '../../log.ts'
import { abortable, throwIfOver } from '../../time.ts'
import type { IssuerConfig } from '../issuer-config.ts'
import type { SigningKey } from '../token/signing-key.ts'
import { fetchKeys, type KeyPorts } from './fetch-keys.ts'
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
/** More than 5 s: a fetch that began so long ago was frozen with the environment, or its own limit had ended it. */
const frozenAfterMs = 5_001

const withoutThisKey = new Error('the keys were just fetched, without this one')

/** A fetch of the environment: callers wait for it or leave, but do not end it. */
interface Fetch {
  beganAtMs: number
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
  let known = { keys: new Map() as Keys, fetchedAtMs: Number.NEGATIVE_INFINITY }
  let failed: { atMs: number; cause: Error } | undefined
  let running: Fetch | undefined
  let pauseBeganAtMs = Number.NEGATIVE_INFINITY
  return { find, warm }

  async function find(name: string, context: KeyContext): Promise<SigningKey | undefined> {
    const { log, signal } = context
    throwIfOver(signal)
    const fresh = keyYoungerThan(maxAgeMs, name)
    if (fresh !== undefined) return fresh
    const others = runningFetch()
    const fetch = others ?? beginUnlessPaused(log)
    const stale = isFailing() ? keyYoungerThan(staleMaxMs, name) : undefined
    if (stale !== undefined) return stale
    return keyAfter(fetch, fetch !== others, name, context)
  }

  async function keyAfter(fetch: Fetch | undefined, isOwn: boolean, name: string, context: KeyContext) {
    if (fetch === undefined) throw unavailable()
    const isAnswered = await abortable(fetch.ended, context.signal)
    // The fetch of others may have begun before the key was published.
    return isAnswered && isOwn ? known.keys.get(name) : find(name, context)
  }

  function beginUnlessPaused(log: Log) {
    return isWithin(pauseBeganAtMs, fetchEveryMs) ? undefined : begin(log)
  }

  async function warm({ log, signal }: KeyContext) {
    const { ended } = runningFetch() ?? begin(log, { isWarmUp: true })
    await abortable(ended, signal).catch(() => {})
  }

  function runningFetch() {
    return running && isWithin(running.beganAtMs, frozenAfterMs) ? running : undefined
  }

  function begin(log: Log, { isWarmUp = false } = {}): Fetch {
    const outcome = fetchKeys(issuer, ports).catch((cause: Error) => cause)
    const fetch: Fetch = {
      beganAtMs: clock.nowMs(),
      ended: outcome.then(outcome => end(fetch, outcome, log, isWarmUp)),
    }
    running = fetch
    return fetch
  }

  function end(fetch: Fetch, outcome: Keys | Error, log: Log, isWarmUp: boolean) {
    if (running !== fetch) return false
    running = undefined
    if (!isWithin(fetch.beganAtMs, frozenAfterMs)) return false
    if (!isWarmUp) pauseBeganAtMs = fetch.beganAtMs
    return outcome instanceof Error ? fail(outcome, log, isWarmUp) : renew(outcome, fetch.beganAtMs)
  }

  function renew(keys: Keys, fetchedAtMs: number) {
    known = { keys, fetchedAtMs }
    failed = undefined
    return true
  }

  function fail(cause: Error, log: Log, isWarmUp: boolean) {
    failed = { atMs: clock.nowMs(), cause }
    if (isWarmUp) log('warm_up_failed', { message: cause.message })
    else log('key_fetch_failed', { issuer: issuer.issuer, reason: cause.message })
    return false
  }

  /**
   * A failure counts as long as keys do. Else an environment that is always frozen before the next fetch ends would use
   * withdrawn keys for a day.
   */
  function isFailing() {
    return failed !== undefined && isWithin(failed.atMs, maxAgeMs)
  }

  function unavailable() {
    const retryAfterSeconds = Math.ceil((pauseBeganAtMs + fetchEveryMs - clock.nowMs()) / 1000)
    return new Failure('issuer_unavailable', { retryAfterSeconds }, failed?.cause ?? withoutThisKey)
  }

  function keyYoungerThan(ageMs: number, name: string) {
    return isWithin(known.fetchedAtMs, ageMs) ? known.keys.get(name) : undefined
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
