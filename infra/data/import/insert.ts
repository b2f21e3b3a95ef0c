import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb'
import { untilProcessed } from '../../../lib/store/retry.ts'
import type { Item } from '../../../lib/store/items.ts'
import type { Data } from '../open-data.ts'
import { patiently } from '../patience.ts'

/**
 * Puts at most 25 items into the table, none over one that is there: BatchWriteItem knows no condition, and PutItem no
 * batch, but INSERT has both.
 *
 * @returns those of them in whose place there was an item before
 */
export async function insert(
  { clock, client, tableName }: Data,
  items: Item[],
  signal: AbortSignal,
): Promise<Item[]> {
  const occupied: Item[] = []
  let left = items
  await patiently(clock, signal, () =>
    untilProcessed(clock, signal, left, async batch => {
      const Statements = batch.map(item => statementOf(tableName, item))
      const command = new BatchExecuteStatementCommand({ Statements: Statements as never })
      const { Responses = [] } = await client.send(command, { abortSignal: signal })
      left = batch.filter((item, index) => {
        const error = Responses[index]?.Error
        if (error?.Code === 'DuplicateItem') occupied.push(item)
        else if (error !== undefined && !passing.has(error.Code)) throw failed(error)
        return error !== undefined && passing.has(error.Code)
      })
      return left
    }),
  )
  return occupied
}

const statementOf = (tableName: string, item: Item) => ({
  Statement: `INSERT INTO "${tableName}" VALUE {${Object.keys(item)
    .map(name => `'${name}': ?`)
    .join(', ')}}`,
  Parameters: Object.values(item),
})

interface BatchError {
  Code?: string | undefined
  Message?: string | undefined
}

/** Codes by which DynamoDB says that the same statement may well succeed later. */
const passing = new Set<string | undefined>([
  'InternalServerError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'TransactionConflict',
])

/** As the error of a call of its own. */
const failed = ({ Code, Message }: BatchError) =>
  Object.assign(new Error(Message), { name: `${Code}Exception`, $metadata: {} })
