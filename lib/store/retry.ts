import { isThrottlingError, isTransientError } from '@smithy/core/retry'
import { abortable, type Clock, delay, throwIfOver } from '../time.ts'
import { causeOf, Failure } from '../domain/failure.ts'

/**
 * How many attempts of one call may fail. `items`: a transaction meets another one, or is cancelled because the partition of an
 * item is throttled. That often passes within milliseconds, but may come again many times: all who link users of a provider
 * write its count.
 */
const usualTriesMax = { items: 60, throttled: 8, other: 8 }
const firstPauseMs = 50
const longestPauseMs = 1000

/**
 * Repeats a call of the table while its errors are retryable, with growing random pauses, until the signal aborts.
 *
 * The SDK's own retries are off: the retries of an old request use up the quota of a new one, and no test can move the clock
 * of their pauses.
 *
 * @param itemTriesMax how many attempts may be refused because of their items, where it is not the usual number
 * @throws Failure `table_busy` after so many attempts of one kind; the signal's reason; any other error unchanged
 */
export async function withRetry<T>(
  clock: Clock,
  signal: AbortSignal,
  call: () => Promise<T>,
  itemTriesMax = usualTriesMax.items,
): Promise<T> {
  const triesMax = { ...usualTriesMax, items: itemTriesMax }
  const tries = { items: 0, throttled: 0, other: 0 }
  while (true) {
    throwIfOver(signal)
    try {
      // The SDK obeys the signal only once it sends: not while it waits for credentials.
      return await abortable(call(), signal)
    } catch (error) {
      throwUnlessRetryable(error, signal)
      const kind = kindOf(error)
      tries[kind] += 1
      if (tries[kind] >= triesMax[kind]) throw new Failure('table_busy', {}, error)
      await backOff(clock, tries[kind], signal)
    }
  }
}

/** @throws the signal's reason when it has aborted; an error that is not retryable */
function throwUnlessRetryable(error: unknown, signal: AbortSignal): asserts error is SdkError {
  signal.throwIfAborted()
  if (!isRetryable(error as SdkError)) throw error
}

/** Waits for a random time, of up to 100 ms after the first failure and up to a second after the fifth in a row. */
export const backOff = (clock: Clock, failures: number, signal: AbortSignal): Promise<void> =>
  delay(clock, Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** failures), signal)

type SdkError = Parameters<typeof isTransientError>[0] & {
  code?: string
  /** Of a cancelled transaction. */
  CancellationReasons?: { Code?: string }[]
}

/** Why each action of a cancelled transaction was refused, in their order, `None` if it was not; empty for another error. */
export const codesOf = (error: unknown): string[] =>
  ((error as SdkError).CancellationReasons ?? []).map(({ Code = 'None' }) => Code)

/** Whether it met a transaction that was not finished: another one, or itself after its reply was lost. The SDK does not retry it. */
const isConflict = (error: unknown): boolean =>
  [(error as SdkError).name, ...codesOf(error)].some(code => /^Transaction(Conflict|InProgress)/.test(code))

/** Whether DynamoDB refused a call because of its items: in conflict with a transaction, or cancelled for a reason of an action. */
export const isRefusedForItems = (error: unknown): boolean => isConflict(error) || codesOf(error).length > 0

/** Whether the code of an item says that it is throttled. */
export const isThrottlingCode = (code: string): boolean =>
  /^(Throttling|ProvisionedThroughputExceeded)/.test(code)

/** Whether DynamoDB has throttled a call, or an item of it; also of a Failure that was made of such an error. */
export function isThrottled(error: unknown): boolean {
  const cause = causeOf(error) as SdkError
  return isThrottlingError(cause) || codesOf(cause).some(isThrottlingCode)
}

function kindOf(error: unknown): keyof typeof usualTriesMax {
  if (isRefusedForItems(error)) return 'items'
  return isThrottled(error) ? 'throttled' : 'other'
}

/** A failed condition will fail again, whatever else the transaction met. */
const isRetryable = (error: SdkError) =>
  !codesOf(error).includes('ConditionalCheckFailed') &&
  (isConflict(error) || isThrottled(error) || isTransientError(error) || isOfNetwork(error))

/**
 * Whether it is an error of the network or of TLS, of which the SDK knows only a few: it has a text as its code, and no
 * `$fault`, as a reply of DynamoDB has. A TypeError or RangeError with a code is a bug, and a Failure is our own.
 */
const isOfNetwork = (error: SdkError) =>
  typeof error.code === 'string' &&
  error.$fault === undefined &&
  ![TypeError, RangeError, Failure].some(other => error instanceof other)
