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

/** What an answer of DynamoDB may have: the name of an error, the reasons of a transaction, the outcomes of statements. */
interface Answer {
  name?: string
  CancellationReasons?: { Code?: string }[]
  Responses?: { Error?: { Code?: string } }[] | object
}

/** Why DynamoDB refuses a call, or each statement of a batch, that can succeed later; undefined for any other answer. */
export function hindranceOf(answer: Answer): string | undefined {
  const { name = '', CancellationReasons = [], Responses } = answer
  const statements = Array.isArray(Responses) ? Responses.map(({ Error: error }) => error?.Code) : []
  const refused = statements.includes(undefined) ? [] : statements
  const codes = [name, ...CancellationReasons.map(({ Code = '' }) => Code), ...refused]
  if (codes.some(code => code.startsWith('TransactionConflict'))) return 'other writers change the same items'
  const isThrottled = codes.some(code => throttling.test(code)) || isThrottlingError(answer as SdkError)
  return isThrottled ? 'DynamoDB throttles' : undefined
}

type SdkError = Parameters<typeof isThrottlingError>[0]

const throttling = /^(Throttling|ProvisionedThroughputExceeded|RequestLimitExceeded)/
