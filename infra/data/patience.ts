import { isThrottlingError } from '@smithy/core/retry'
import { Failure } from '../../lib/domain/failure.ts'
import { type Clock, delay } from '../../lib/time.ts'

const pauseMs = 5000

/**
 * Repeats work while DynamoDB throttles, without a limit.
 *
 * @param work called again after a pause; it must be safe to repeat
 * @throws the signal's reason; any other error unchanged
 */
export async function patiently<T>(clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isThrottled(error)) throw error
      await delay(clock, pauseMs, signal)
    }
  }
}

/** Whether an error is throttling, or an unprocessed batch; not a failed connection. */
function isThrottled(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'table_busy') return false
  const cause = error.cause as Error & { code?: string; cause?: Error }
  return isThrottlingError(cause) || (cause.name === 'Error' && cause.code === undefined)
}
