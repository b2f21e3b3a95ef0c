import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../../lib/time.ts'
import { withRetry } from '../../../lib/store/retry.ts'

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A Put, Update, Delete or ConditionCheck of one item of the table. */
export type Action = { [Kind in keyof TransactItem]?: Omit<NonNullable<TransactItem[Kind]>, 'TableName'> }

/** Why nothing was written. */
export interface Refusal {
  /** Why DynamoDB does not take it, such as an item of more than 400 KB; undefined: a condition does not hold. */
  invalid?: string | undefined
}

/**
 * Writes several different items of the table, all or none.
 *
 * @returns undefined when they are written
 * @throws Failure `table_busy` after too many throttled, failed or conflicting attempts; the signal's reason; any other error
 *   unchanged
 */
export type Transact = (actions: readonly Action[], signal: AbortSignal) => Promise<Refusal | undefined>

/**
 * @param newId makes the client token, so that a transaction repeated within 10 minutes after a lost reply has one effect only
 * @param retry repeats the call
 */
export const transactor =
  (
    client: DynamoDBDocumentClient,
    tableName: string,
    clock: Clock,
    newId: () => string,
    retry: typeof withRetry = withRetry,
  ): Transact =>
  (actions, signal) => {
    const command = new TransactWriteCommand({
      TransactItems: actions.map(action => inTable(tableName, action)),
      ClientRequestToken: newId(),
    })
    return retry(clock, signal, async () => {
      try {
        await client.send(command, { abortSignal: signal })
        return undefined
      } catch (error) {
        return refusalOf(error as Cancellation)
      }
    })
  }

const inTable = (TableName: string, action: Action) =>
  Object.fromEntries(
    Object.entries(action).map(([kind, input]) => [kind, { TableName, ...input }]),
  ) as TransactItem

const passing = /^(TransactionConflict|ThrottlingError|ProvisionedThroughputExceeded|RequestLimitExceeded)/

interface Cancellation {
  name?: string
  message?: string
  CancellationReasons?: { Code: string; Message?: string }[]
}

/** @throws an error that is no refusal; one that may pass with a name that is retryable */
function refusalOf(error: Cancellation): Refusal {
  const { name, message, CancellationReasons: reasons = [] } = error
  const reason = (code: RegExp) => reasons.find(({ Code }) => code.test(Code))
  if (reason(/^ConditionalCheckFailed$/)) return {}
  if (name === 'ValidationException') return { invalid: message }
  const invalid = reason(/^ValidationError$/)
  if (invalid) return { invalid: invalid.Message ?? invalid.Code }
  if (!reason(passing)) throw error
  const conflict = new Error('the transaction met another one, or too much traffic', { cause: error })
  // The name of a single write's conflict error.
  throw Object.assign(conflict, { name: 'TransactionConflictException' })
}
