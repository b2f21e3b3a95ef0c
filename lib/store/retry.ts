import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { type Clock, delay } from '../time.ts'
import { Failure } from '../domain/failure.ts'

const triesMax = 8
const firstPauseMs = 50
const longestPauseMs = 1000

/**
 * Calls the table until it answers, with growing random pauses, for as long as the signal lets it.
 *
 * The SDK could do this, but its pauses outlive the signal, and a reused sandbox must carry nothing over.
 *
 * @throws Failure `table_busy` when throttled or unreachable too often; the signal's reason; any other error as it came
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
 * Sends a batch again until nothing of it is left over; only tries that get nothing done count.
 *
 * @param send gives back what was not processed
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

/** A write meets another writer's open transaction; the SDK would not try again. */
const conflict = 'TransactionConflictException'

const isRetryable = (error: SdkError) =>
  error.name === conflict || isThrottlingError(error) || isTransientError(error) || isServerError(error)
