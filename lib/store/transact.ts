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

/** Its parameters that are made of attributes. */
const attributeMaps = ['Key', 'Item', 'ExpressionAttributeValues'] as const
type Native<Input> = {
  [Name in keyof Input]: Name extends (typeof attributeMaps)[number] ? Item : Input[Name]
}

/**
 * Writes several items of the table, all or none; no item twice.
 *
 * @returns false when a condition does not hold
 * @throws Failure `table_busy` when throttled, unreachable or in the way of other transactions too often; the signal's
 *   reason; any other error as it came
 */
export type Transact = (actions: readonly Action[], signal: AbortSignal) => Promise<boolean>

/** @param newId makes the token by which a transaction that is sent again, its answer being lost, has no second effect */
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

/** Reasons that lie outside the transaction. */
const passingReasons = ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']

class PassingCancellation extends Error {
  /** What a single write is told that meets a transaction: by this name a call is made again. */
  override readonly name = 'TransactionConflictException'

  constructor(cause: unknown) {
    super('the transaction met another one, or too much traffic', { cause })
  }
}
