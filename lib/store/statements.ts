import { BatchExecuteStatementCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { BrokenReply, completeReply } from './broken-reply.ts'
import type { Key } from './keys.ts'

/** A PartiQL statement that writes one item; each `?` of the text stands for the next parameter. */
export interface Statement {
  key: Key
  text: string
  parameters: readonly unknown[]
}

/** A conditional update in PartiQL; each `?` stands for the next value. */
export interface BatchedUpdate {
  key: Key
  /** `SET` and `REMOVE` clauses. */
  change: string
  changeValues: readonly unknown[]
  /** By default only that there is an item. */
  condition?: string
  conditionValues?: readonly unknown[]
}

export const statementOf = (
  tableName: string,
  { key, change, changeValues, condition, conditionValues = [] }: BatchedUpdate,
): Statement => ({
  key,
  text: `UPDATE "${tableName}" ${change} WHERE PK = ? AND SK = ?${condition ? ` AND ${condition}` : ''}`,
  parameters: [...changeValues, key.PK, key.SK, ...conditionValues],
})

/** The outcome of a statement. `refused`: its condition does not hold. `unprocessed`: it may succeed later. */
export type Outcome = 'done' | 'refused' | 'unprocessed'

/**
 * Sends one BatchExecuteStatement. Each statement succeeds or fails by itself; the response `{}` is a success, because AWS
 * documents `TableName` for statements that failed only.
 *
 * @param statements 1 to 25 for different items: DynamoDB Local executes some before it refuses a duplicate
 * @returns the outcomes, in the order of the statements
 * @throws BrokenReply; the error of a statement that cannot succeed, with its code and its item's key; any other error unchanged
 */
export async function executeBatch(
  client: DynamoDBDocumentClient,
  statements: readonly Statement[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const command = new BatchExecuteStatementCommand({
    Statements: statements.map(({ text, parameters }) => ({ Statement: text, Parameters: [...parameters] })),
  })
  const { Responses } = await completeReply(client.send(command, { abortSignal: signal }), 'Responses')
  if (Responses.length !== statements.length)
    throw new BrokenReply('has another number of statements than were sent')
  return Responses.map(({ Error: error }, index) =>
    error === undefined ? 'done' : outcomeOf(error, statements[index]?.key),
  )
}

type StatementError = { Code?: string | undefined; Message?: string | undefined }

/** @see "BatchStatementError" in the DynamoDB API Reference, which lists every code */
function outcomeOf({ Code, Message }: StatementError, key?: Key): Outcome {
  if (Code === 'ConditionalCheckFailed') return 'refused'
  if (passing.has(Code)) return 'unprocessed'
  const message = `${key?.PK} ${key?.SK}: ${Message}`
  throw Object.assign(new Error(message), { name: `${Code}Exception`, $metadata: {} })
}

const passing = new Set<string | undefined>([
  'InternalServerError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'TransactionConflict',
])
