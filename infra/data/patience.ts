import { isThrottlingError } from '@smithy/core/retry'
import { Failure } from '../../lib/domain/failure.ts'
import { withRetry } from '../../lib/store/retry.ts'
import { type Clock, delay } from '../../lib/time.ts'

const pauseMs = 5000

/**
 * Repeats work while DynamoDB throttles, or other writers change the same items, without a limit.
 *
 * @param work called again after a pause; it must be safe to repeat
 * @throws the signal's reason; any other error unchanged
 */
export async function patiently<T>(clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error)) throw error
      await delay(clock, pauseMs, signal)
    }
  }
}

/** Repeats a call of the table as in a request, and then patiently. */
export const withPatience: typeof withRetry = (clock, signal, call) =>
  patiently(clock, signal, () => withRetry(clock, signal, call))

/** Whether an error is throttling, conflicts, or an unprocessed batch; not a failed connection. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'table_busy') return false
  const cause = error.cause as Error & { code?: string }
  return hindranceOf(cause) !== undefined || (cause.name === 'Error' && cause.code === undefined)
}

/** Why DynamoDB refuses a call that can succeed later; undefined for any other error. */
export function hindranceOf(error: Error): string | undefined {
  const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: { Code?: string }[] }
  const hindrance = hindranceIn([error.name, ...reasons.map(({ Code = '' }) => Code)])
  return hindrance ?? (isThrottlingError(error as SdkError) ? throttling : undefined)
}

type SdkError = Parameters<typeof isThrottlingError>[0]

/** The same for the codes of a transaction's actions, or of a batch's statements. */
export function hindranceIn(codes: readonly string[]): string | undefined {
  if (codes.some(code => code.startsWith('TransactionConflict'))) return 'other writers change the same items'
  return codes.some(code => throttlingCode.test(code)) ? throttling : undefined
}

const throttling = 'DynamoDB throttles'
const throttlingCode = /^(Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded)/
