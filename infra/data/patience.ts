import { isThrottlingError } from '@smithy/core/retry'
import { Failure } from '../../lib/domain/failure.ts'
import { withRetry } from '../../lib/store/retry.ts'
import type { Clock } from '../../lib/time.ts'

/**
 * Goes on with the attempts of a request while DynamoDB throttles or other writers change the same items: nobody waits for the
 * answer of a command. The SDK's own retries would run out of their quota, and their pauses ignore Ctrl-C.
 *
 * @param call must be safe to repeat
 * @throws the signal's reason; any other error unchanged, such as that of a table that cannot be reached
 */
export async function withPatience<T>(clock: Clock, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  return patiently((_: unknown, signal) => withRetry(clock, signal, call))(undefined, signal)
}

/** The call of a batch that repeats what fails, patiently. */
export const patiently =
  <Batch, Result>(call: (batch: Batch, signal: AbortSignal) => Promise<Result>): typeof call =>
  async (batch, signal) => {
    for (;;) {
      signal.throwIfAborted()
      try {
        return await call(batch, signal)
      } catch (error) {
        if (!mayPass(error)) throw error
      }
    }
  }

/** Whether an error is throttling, conflicts, or an unprocessed batch; not a failed connection, nor a failure of the server. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'table_busy') return false
  const cause = error.cause as NodeJS.ErrnoException & Parameters<typeof isThrottlingError>[0]
  const isUnprocessed = cause.name === 'Error' && cause.code === undefined
  return isUnprocessed || cause.name === 'TransactionConflictException' || isThrottlingError(cause)
}
