import { clearTimeout, setTimeout } from 'node:timers'

/** The only source of time and timers, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch; an operator or NTP may step it. */
  nowMs(): number
  /** Milliseconds since some moment; nobody steps it, and no other process knows it. */
  elapsedMs(): number
  /** Calls `callback` once at `atMs`, or immediately when that has passed; returns a function that cancels it. */
  schedule(atMs: number, callback: () => void): () => void
}

/** The clock and timers of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  schedule(atMs, callback) {
    const timer = setTimeout(callback, Math.max(0, atMs - Date.now()))
    return () => clearTimeout(timer)
  },
}

/**
 * Waits for `work` unless the signal aborts first; removes its listener in any case.
 *
 * @throws the signal's reason
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Waits for a number of milliseconds; removes its timer when the signal aborts.
 *
 * @throws the signal's reason, as soon as it aborts
 */
export async function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = clock.schedule(clock.nowMs() + ms, resolve)
  try {
    await abortable(promise, signal)
  } finally {
    cancel()
  }
}

/**
 * The time limits of signals. A timer aborts the signal when its limit is over. But a process that was frozen meanwhile, as
 * Lambda freezes it between requests, continues with its promises before its timers. So `throwIfOver`, before each call,
 * compares the limit with the clock.
 */
const limits = new WeakMap<AbortSignal, { leftMs(): number; expireIfOver(): void }>()

/** The milliseconds until the time limit of a signal, by the clock; infinite for a signal without one. */
export const leftMs = (signal: AbortSignal): number =>
  limits.get(signal)?.leftMs() ?? Number.POSITIVE_INFINITY

/**
 * Ends work whose signal has aborted, or whose time limit is over by the clock; then it aborts the signal.
 *
 * @throws the signal's reason
 */
export function throwIfOver(signal: AbortSignal): void {
  limits.get(signal)?.expireIfOver()
  signal.throwIfAborted()
}

/**
 * Begins a time limit, whose signal aborts at that time.
 *
 * @param atMs in milliseconds since the Unix epoch
 * @param parent a signal that ends the work, too, with its own reason
 */
export function timeLimit(clock: Clock, atMs: number, reason: () => unknown, parent?: AbortSignal) {
  const controller = new AbortController()
  // Node 24.21 loses an abort when the source of `any` is collected (nodejs/node#65995): `limits` keeps this one.
  const signal: AbortSignal = parent ? AbortSignal.any([controller.signal, parent]) : controller.signal
  let endsAtMs = 0
  let cancel = () => {}
  let expire = () => {}
  move(atMs, reason)
  limits.set(signal, {
    leftMs: () => Math.min(endsAtMs - clock.nowMs(), parent ? leftMs(parent) : Number.POSITIVE_INFINITY),
    expireIfOver() {
      if (parent) throwIfOver(parent)
      if (clock.nowMs() >= endsAtMs) expire()
    },
  })
  return { signal, move, end }

  /** Moves the limit to another time, with another reason. */
  function move(atMs: number, reason: () => unknown) {
    cancel()
    endsAtMs = atMs
    expire = () => controller.abort(reason())
    cancel = clock.schedule(atMs, expire)
  }

  /** Removes the timer, and aborts work that is still running with this reason. */
  function end(reason?: unknown) {
    cancel()
    controller.abort(reason)
  }
}
