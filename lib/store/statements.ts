import { BatchExecuteStatementCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { BrokenReply, completeReply } from './broken-reply.ts'
import type { Key } from './keys.ts'

/** A conditional update of one item in PartiQL; each `?` stands for the next value. It makes no item. */
export interface BatchedUpdate {
  key: Key
  /** `SET` and `REMOVE` clauses. */
  change: string
  changeValues: readonly unknown[]
  condition: string
  conditionValues: readonly unknown[]
}

/** The outcome of a statement. `refused`: its condition does not hold. `unprocessed`: it may succeed later. */
export type Outcome = 'done' | 'refused' | 'unprocessed'

/**
 * Sends one BatchExecuteStatement. Each statement succeeds or fails by itself; the response `{}` is a success, because AWS
 * documents `TableName` for statements that failed only.
 *
 * @param updates 1 to 25 of different items: DynamoDB Local makes some before it refuses a duplicate
 * @returns the outcomes, in the order of the updates
 * @throws BrokenReply; the error of a statement that cannot succeed, with its code and its item's key; any other error unchanged
 */
export async function executeBatch(
  client: DynamoDBDocumentClient,
  tableName: string,
  updates: readonly BatchedUpdate[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const command = new BatchExecuteStatementCommand({
    Statements: updates.map(({ key: { PK, SK }, change, changeValues, condition, conditionValues }) => ({
      Statement: `UPDATE "${tableName}" ${change} WHERE PK = ? AND SK = ? AND ${condition}`,
      Parameters: [...changeValues, PK, SK, ...conditionValues],
    })),
  })
  const { Responses } = await completeReply(client.send(command, { abortSignal: signal }), 'Responses')
  if (Responses.length !== updates.length)
    throw new BrokenReply('has another number of statements than were sent')
  return Responses.map(({ Error: error }, index) =>
    error === undefined ? 'done' : outcomeOf(error, updates[index]?.key),
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
