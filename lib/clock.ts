import { clearTimeout, setTimeout } from 'node:timers'

/** The only source of time, so that a test can hold it still. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number
  /** Rings once, at the given instant or at once when it has passed; returns what silences it. */
  alarm(atMs: number, ring: () => void): () => void
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  alarm(atMs, ring) {
    const timer = setTimeout(ring, Math.max(0, atMs - Date.now()))
    return () => clearTimeout(timer)
  },
}

/**
 * Waits, and leaves no timer behind when it is cut short.
 *
 * @throws the signal's reason, as soon as it aborts
 */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const silence = clock.alarm(clock.nowMs() + ms, wake)
  signal.addEventListener('abort', cut, { once: true })
  if (signal.aborted) cut()
  return promise

  function wake() {
    signal.removeEventListener('abort', cut)
    resolve()
  }
  function cut() {
    silence()
    reject(signal.reason)
  }
}
