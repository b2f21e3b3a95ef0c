import { randomUUID } from 'node:crypto'
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../time.ts'
import { withRetry } from './retry.ts'

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A Put, Update, Delete or ConditionCheck of one item of the table. */
export type Action = { [Kind in keyof TransactItem]?: Omit<NonNullable<TransactItem[Kind]>, 'TableName'> }

/**
 * Writes at most 100 different items of the table, all or none.
 *
 * @returns whether they are written: not when a condition does not hold
 * @throws Failure `table_busy` after too many throttled, failed or conflicting attempts; the signal's reason; any other error
 *   unchanged
 */
export type Transact = (actions: readonly Action[], signal: AbortSignal) => Promise<boolean>

export const transactor =
  (client: DynamoDBDocumentClient, tableName: string, clock: Clock): Transact =>
  (actions, signal) => {
    const command = new TransactWriteCommand({
      TransactItems: actions.map(action => inTable(tableName, action)),
      // A transaction that is repeated after a lost reply has one effect only.
      ClientRequestToken: randomUUID(),
    })
    return withRetry(clock, signal, async () => {
      try {
        await client.send(command, { abortSignal: signal })
        return true
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
  CancellationReasons?: { Code: string }[]
}

/** @throws an error that is no failed condition; one that may pass with a name that is retryable */
function refusalOf(error: Cancellation): false {
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code)
  if (codes.includes('ConditionalCheckFailed')) return false
  if (!codes.some(code => passing.test(code))) throw error
  const conflict = new Error('the transaction met another one, or too much traffic', { cause: error })
  // The name of a single write's conflict error.
  throw Object.assign(conflict, { name: 'TransactionConflictException' })
}
