import { isThrottlingError } from '@smithy/core/retry'
import { Failure } from '../../lib/domain/failure.ts'
import { type Clock, delay } from '../../lib/time.ts'

const pauseMs = 5000

/**
 * Goes on for as long as DynamoDB does nothing worse than to turn calls away, however long that is.
 *
 * @param work is done again from where it stopped: it must remember by itself what is done
 * @throws the signal's reason; any other error as it came
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

/** By its own word, or by leaving a batch undone; a connection that fails is another matter. */
function isThrottled(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'table_busy') return false
  const cause = error.cause as Error & { code?: string; cause?: Error }
  return isThrottlingError(cause) || (cause.name === 'Error' && cause.code === undefined)
}
