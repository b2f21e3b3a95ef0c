import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { type Clock, delay } from '../time.ts'
import { Failure } from '../domain/failure.ts'
import { adaptivePace } from './pace.ts'

const triesMax = 8
const firstPauseMs = 50
const longestPauseMs = 1000

/**
 * Repeats a call of the table while its errors are retryable, with growing random pauses, until the signal aborts.
 *
 * The SDK's own retries are off: their pauses ignore the signal, and the retries of an old request use up the quota of a new
 * one.
 *
 * @throws Failure `table_busy` after 8 attempts; the signal's reason; any other error unchanged
 */
export async function withRetry<T>(clock: Clock, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      throwUnlessRetryable(error, signal)
      await pause(clock, signal, tries, error)
    }
  }
}

/**
 * Sends a batch, and its unprocessed items again, until all are processed.
 *
 * @param send returns the unprocessed items
 * @throws Failure `table_busy` after 8 attempts of the batch in a row during which no item of any batch was processed; the
 *   signal's reason; any error that is not retryable
 */
export type SendBatch = <T>(
  signal: AbortSignal,
  batch: T[],
  send: (batch: T[]) => Promise<T[]>,
) => Promise<void>

/** The units that one partition of DynamoDB takes per second. */
const partitionPerSecond = { reads: 3000, writes: 1000 }

/**
 * A function that sends batches at the pace at which DynamoDB processes them, and with growing random pauses while it processes
 * nothing. Batches with different limits need a function each.
 */
export function batchSender(clock: Clock, kind: keyof typeof partitionPerSecond): SendBatch {
  const pace = adaptivePace(clock, partitionPerSecond[kind])
  return async (signal, batch, send) => {
    let left = batch
    let tries = 0
    let processed = pace.processed()
    while (left.length > 0) {
      if (tries === 0) await pace.turn(left.length, signal)
      signal.throwIfAborted()
      const sent = pace.sending()
      const { rest, error } = await attempt(signal, left, send)
      sent(left.length - rest.length, error === undefined || isThrottlingError(error) ? rest.length : 0)
      left = rest
      tries = pace.processed() > processed ? 0 : tries + 1
      processed = pace.processed()
      if (tries > 0) await pause(clock, signal, tries, error ?? new Error(`${rest.length} items unprocessed`))
    }
  }
}

/** @returns the items that are left, with the error when it is retryable. @throws any other error */
async function attempt<T>(
  signal: AbortSignal,
  batch: T[],
  send: (batch: T[]) => Promise<T[]>,
): Promise<{ rest: T[]; error?: SdkError }> {
  try {
    return { rest: await send(batch) }
  } catch (error) {
    throwUnlessRetryable(error, signal)
    return { rest: batch, error }
  }
}

/** @throws the signal's reason when it has aborted; an error that is not retryable */
function throwUnlessRetryable(error: unknown, signal: AbortSignal): asserts error is SdkError {
  signal.throwIfAborted()
  if (!isRetryable(error as SdkError)) throw error
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
