import { randomUUID } from 'node:crypto'
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import { causeOf, Failure } from '../domain/failure.ts'
import type { Clock } from '../time.ts'
import { completeReply } from './broken-reply.ts'
import type { Item } from './items.ts'
import type { Key } from './keys.ts'
import { takeItems } from './returned-items.ts'
import { codesOf, isRefusedForItems, isThrottled, withRetry } from './retry.ts'

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A Put, Update, Delete or ConditionCheck of one item of the table. */
export type Action = { [Kind in keyof TransactItem]?: Omit<NonNullable<TransactItem[Kind]>, 'TableName'> }

/** Why a transaction is not written. With other actions, or with fewer, it might be. */
export interface Refusal {
  /**
   * The keys that are named, each with its code, such as `ConditionalCheckFailed`; empty when DynamoDB names none. An action may
   * ask for the item when its condition does not hold: its mark and its links are kept.
   */
  refused: (Key & { code: string; item?: Item | undefined })[]
  /** What to throw when it is not tried in another way. */
  error: unknown
}

/**
 * Writes at most 100 different items of the table, all or none.
 *
 * @param options.triesMax how many attempts may be refused because of their items; by default 60
 * @returns undefined when they are written; else why not: a condition does not hold, so many attempts were refused, 8 were
 *   throttled as a whole, or an item, or all of them, are too large
 * @throws Failure `table_busy` after 8 attempts that failed otherwise; the signal's reason; any other error unchanged
 */
export type Transact = (
  actions: readonly Action[],
  signal: AbortSignal,
  options?: { triesMax?: number | undefined },
) => Promise<Refusal | undefined>

export const transactor =
  (client: DynamoDBDocumentClient, tableName: string, clock: Clock): Transact =>
  async (actions, signal, { triesMax } = {}) => {
    const command = new TransactWriteCommand({
      TransactItems: actions.map(action => inTable(tableName, action)),
      // A transaction that is repeated after a lost reply has one effect only.
      ClientRequestToken: randomUUID(),
      ReturnConsumedCapacity: 'TOTAL',
    })
    const returned = takeItems(client, command)
    const send = () => completeReply(client.send(command, { abortSignal: signal }), 'ConsumedCapacity')
    try {
      await withRetry(clock, signal, send, triesMax)
      return undefined
    } catch (error) {
      return refusalOf(error as Error, actions, returned())
    }
  }

const inTable = (TableName: string, action: Action) =>
  Object.fromEntries(
    Object.entries(action).map(([kind, input]) => [kind, { TableName, ...input }]),
  ) as TransactItem

function keyOf({ Put, Update, Delete, ConditionCheck }: Action): Key {
  const { PK, SK } = Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}
  return { PK, SK }
}

/** @throws an error that is about no item */
function refusalOf(error: Error, actions: readonly Action[], items: (Item | undefined)[]): Refusal {
  const cause = causeOf(error)
  const codes = codesOf(cause)
  const refused = actions
    .map((action, n) => ({ ...keyOf(action), code: codes[n] ?? 'None', item: items[n] }))
    .filter(({ code }) => code !== 'None')
  if (codes.includes('ConditionalCheckFailed'))
    return { refused, error: new Failure('table_busy', {}, cause) }
  const isTooLarge = error.name === 'ValidationException' || codes.includes('ValidationError')
  const isGivenUp = error instanceof Failure && (isRefusedForItems(cause) || isThrottled(cause))
  if (isTooLarge || isGivenUp) return { refused, error }
  throw error
}
