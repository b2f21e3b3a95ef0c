import {
  type DynamoDBClient,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import type { Clock } from '../time.ts'
import { attributesOf, type Item } from './attribute-values.ts'
import { withRetry } from './retry.ts'

/** A Put, Update, Delete or ConditionCheck of one item of the table. */
export type Action = {
  [Kind in keyof TransactWriteItem]?: Native<Omit<NonNullable<TransactWriteItem[Kind]>, 'TableName'>>
}

/** The parameters of an action that contain attribute values. */
const attributeMaps = ['Key', 'Item', 'ExpressionAttributeValues'] as const
type Native<Input> = {
  [Name in keyof Input]: Name extends (typeof attributeMaps)[number] ? Item : Input[Name]
}

/**
 * Writes several different items of the table, all or none.
 *
 * @returns false when a condition does not hold
 * @throws Failure `table_busy` after too many throttled, failed or conflicting attempts; the signal's reason; any other error
 *   unchanged
 */
export type Transact = (actions: readonly Action[], signal: AbortSignal) => Promise<boolean>

/** @param newId makes the client token, so that a transaction repeated after a lost reply has one effect only */
export const transactor =
  (client: DynamoDBClient, tableName: string, clock: Clock, newId: () => string): Transact =>
  (actions, signal) => {
    const command = new TransactWriteItemsCommand({
      TransactItems: actions.map(action => inTable(tableName, action)),
      ClientRequestToken: newId(),
    })
    return withRetry(clock, signal, async () => {
      try {
        await client.send(command, { abortSignal: signal })
        return true
      } catch (error) {
        const codes = (error as Cancellation).CancellationReasons?.map(({ Code }) => Code) ?? []
        if (codes.includes('ConditionalCheckFailed')) return false
        throw codes.some(code => passingReasons.includes(code)) ? new PassingCancellation(error) : error
      }
    })
  }

const inTable = (TableName: string, action: Action) =>
  Object.fromEntries(
    Object.entries(action).map(([kind, input]) => [kind, { TableName, ...input, ...attributesIn(input) }]),
  ) as TransactWriteItem

const attributesIn = (input: { [Name in (typeof attributeMaps)[number]]?: Item }) =>
  Object.fromEntries(
    attributeMaps.flatMap(name => (input[name] === undefined ? [] : [[name, attributesOf(input[name])]])),
  )

interface Cancellation {
  CancellationReasons?: { Code: string }[]
}

/** Cancellation reasons that may pass. */
const passingReasons = ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']

class PassingCancellation extends Error {
  /** The name of a single write's conflict error, which is retryable. */
  override readonly name = 'TransactionConflictException'

  constructor(cause: unknown) {
    super('the transaction met another one, or too much traffic', { cause })
  }
}
