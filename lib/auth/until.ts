import type { Clock } from '../clock.ts'

/**
 * The work's outcome, unless the signal aborts first; leaves no listener behind.
 *
 * @throws the signal's reason
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const cut = () => reject(signal.reason)
  signal.addEventListener('abort', cut, { once: true })
  if (signal.aborted) cut()
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

/**
 * Runs work that is given up when it takes too long, or when the signal aborts.
 *
 * @param run is handed the signal of both
 * @throws Error when the time is over, else the signal's reason
 */
export async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const either = AbortSignal.any([signal, late.signal])
  const silence = clock.alarm(clock.nowMs() + ms, () => late.abort(new Error(`not done within ${ms} ms`)))
  try {
    return await untilAborted(run(either), either)
  } finally {
    silence()
  }
}
