import { randomUUID } from 'node:crypto'
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import { Failure } from '../domain/failure.ts'
import type { Clock } from '../time.ts'
import { completeReply } from './broken-reply.ts'
import { codesOf, isOfItems, withRetry } from './retry.ts'

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A Put, Update, Delete or ConditionCheck of one item of the table. */
export type Action = { [Kind in keyof TransactItem]?: Omit<NonNullable<TransactItem[Kind]>, 'TableName'> }

/** Why a transaction is not written. With other items, or with fewer, it might be. */
export interface Refusal {
  /** For each action in order, such as `ConditionalCheckFailed`, or `None`; empty when DynamoDB does not say it for each. */
  codes: string[]
  /** What to throw when it is not tried in another way. */
  error: unknown
}

/**
 * Writes at most 100 different items of the table, all or none.
 *
 * @param attemptsMax after how many attempts it gives up that met other transactions or throttling; by default 60
 * @returns undefined when they are written; else why not: a condition does not hold, there were too many such attempts, or an
 *   item, or all of them, are too large
 * @throws Failure `table_busy` after too many failed attempts; the signal's reason; any other error unchanged
 */
export type Transact = (
  actions: readonly Action[],
  signal: AbortSignal,
  attemptsMax?: number,
) => Promise<Refusal | undefined>

export const transactor =
  (client: DynamoDBDocumentClient, tableName: string, clock: Clock): Transact =>
  async (actions, signal, attemptsMax) => {
    const command = new TransactWriteCommand({
      TransactItems: actions.map(action => inTable(tableName, action)),
      // A transaction that is repeated after a lost reply has one effect only.
      ClientRequestToken: randomUUID(),
      ReturnConsumedCapacity: 'TOTAL',
    })
    const send = () => completeReply(client.send(command, { abortSignal: signal }), 'ConsumedCapacity')
    try {
      await withRetry(clock, signal, send, attemptsMax)
      return undefined
    } catch (error) {
      return refusalOf(error as Error)
    }
  }

const inTable = (TableName: string, action: Action) =>
  Object.fromEntries(
    Object.entries(action).map(([kind, input]) => [kind, { TableName, ...input }]),
  ) as TransactItem

/** @throws an error that is about no item */
function refusalOf(error: Error): Refusal {
  const cause = error instanceof Failure ? (error.cause ?? error) : error
  const codes = codesOf(cause)
  if (codes.includes('ConditionalCheckFailed')) return { codes, error: new Failure('table_busy', {}, cause) }
  const isTooLarge = error.name === 'ValidationException' || codes.includes('ValidationError')
  const isRepeated = error instanceof Failure && isOfItems(cause)
  if (isTooLarge || isRepeated) return { codes, error }
  throw error
}
