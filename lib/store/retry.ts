import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { type Clock, delay } from '../time.ts'
import { Failure } from '../domain/failure.ts'

const triesMax = 8
const firstPauseMs = 50
const longestPauseMs = 1000

/**
 * Repeats a call of the table while its errors are retryable, with growing random pauses, until the signal aborts.
 *
 * The SDK's own retries are off: their pauses ignore the signal, and a reused execution environment must not keep state of
 * an old request.
 *
 * @throws Failure `table_busy` after 8 attempts; the signal's reason; any other error unchanged
 */
export async function withRetry<T>(clock: Clock, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      signal.throwIfAborted()
      if (!isRetryable(error as SdkError)) throw error
      await pause(clock, signal, tries, error)
    }
  }
}

/**
 * Sends a batch, and its unprocessed items again, until all are processed. Only attempts that process nothing count.
 *
 * @param send returns the unprocessed items
 * @throws as {@link withRetry}
 */
export async function retryUnprocessed<T>(
  clock: Clock,
  signal: AbortSignal,
  batch: T[],
  send: (batch: T[]) => Promise<T[]>,
): Promise<void> {
  let left = batch
  for (let tries = 1; left.length > 0; tries++) {
    const rest = await withRetry(clock, signal, () => send(left))
    if (rest.length < left.length) tries = 1
    if (rest.length > 0) await pause(clock, signal, tries, new Error(`${rest.length} items unprocessed`))
    left = rest
  }
}

async function pause(clock: Clock, signal: AbortSignal, tries: number, cause: unknown) {
  if (tries >= triesMax) throw new Failure('table_busy', {}, cause)
  await delay(clock, Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** tries), signal)
}

type SdkError = Parameters<typeof isTransientError>[0]

/** A conflict with another writer's transaction, which the SDK does not retry. */
const conflict = 'TransactionConflictException'

const isRetryable = (error: SdkError) =>
  error.name === conflict || isThrottlingError(error) || isTransientError(error) || isServerError(error)
