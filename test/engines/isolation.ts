import { randomUUID } from 'node:crypto'
import {
  BatchExecuteStatementCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb'
import { defineCommand, runCommand } from '../../infra/command-line/command.ts'
import { print } from '../../infra/command-line/output.ts'
import { wholeNumber } from '../../infra/command-line/values.ts'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { dynamodbEndpoint } from '../../infra/dynamodb/endpoint.ts'
import { openClient } from '../../lib/store/client.ts'

interface Races {
  /** How often each of the two came first. */
  statementFirst: number
  transactionFirst: number
  /** How often DynamoDB refused one because of the other. */
  conflicts: number
  /** How often the item was afterwards as neither order leaves it. */
  wrong: number
  /** Replies of a successful statement that name the table. */
  named: number
}

/**
 * Marks an item by a statement of a batch, as a removal does, while a transaction deletes it, as another writer does.
 *
 * The removal is exact because a statement meets a transaction as a single write does: a mark that succeeds after the
 * deletion would bring the item back.
 */
export async function race(
  client: DynamoDBDocumentClient,
  TableName: string,
  rounds: number,
): Promise<Races> {
  const Key = { PK: `ISOLATION#${randomUUID()}`, SK: 'USER#' }
  const races: Races = { statementFirst: 0, transactionFirst: 0, conflicts: 0, wrong: 0, named: 0 }
  for (let round = 0; round < rounds; round++) {
    await client.send(new PutCommand({ TableName, Item: Key }))
    const [statement, isDeleted] = await Promise.all([
      mark(client, TableName, Key),
      remove(client, TableName, Key),
    ])
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))
    const isMarked = statement.code === undefined
    const isWrong = Item === undefined ? !isDeleted : isDeleted || (Item.expires_at === 1) !== isMarked
    if (isWrong) races.wrong += 1
    else if (!isDeleted || statement.code === 'TransactionConflict') races.conflicts += 1
    else if (isMarked) races.statementFirst += 1
    else races.transactionFirst += 1
    if (statement.table === TableName) races.named += 1
  }
  await client.send(new DeleteCommand({ TableName, Key }))
  return races
}

interface ItemKey {
  PK: string
  SK: string
}

/** @returns the code of its error, if there is one, and the table that the reply names */
async function mark(client: DynamoDBDocumentClient, table: string, { PK, SK }: ItemKey) {
  const condition = '(expires_at IS MISSING OR NOT expires_at > ?)'
  const Statement = `UPDATE "${table}" SET expires_at = ? WHERE PK = ? AND SK = ? AND ${condition}`
  const command = new BatchExecuteStatementCommand({
    Statements: [{ Statement, Parameters: [1, PK, SK, 1] }],
  })
  const { Responses: [reply] = [] } = await client.send(command)
  return { code: reply?.Error?.Code, table: reply?.TableName }
}

/** @returns false when the statement is in its way */
async function remove(client: DynamoDBDocumentClient, TableName: string, Key: ItemKey): Promise<boolean> {
  const Delete = { TableName, Key, ConditionExpression: 'attribute_exists(PK)' }
  try {
    await client.send(new TransactWriteCommand({ TransactItems: [{ Delete }] }))
    return true
  } catch (error) {
    if (/TransactionConflict/.test(`${(error as Error).message}`)) return false
    throw error
  }
}

const command = defineCommand('node_modules/.bin/node test/engines/isolation.ts', {
  purpose:
    'Sees in a table whether a statement of a batch and a transaction on the same item are isolated. It writes an item of its own, and deletes it.',
  variables: {
    AWS_REGION: 'The region of the table.',
    DYNAMODB_ENDPOINT: 'The URL of a local DynamoDB, instead of AWS.',
  },
  example:
    'AWS_REGION=eu-central-1 node_modules/.bin/node test/engines/isolation.ts --table saml-providers-test',
})
  .requiredOption('--table <NAME>', 'The name of the table, which has the keys PK and SK.')
  .option('--rounds <NUMBER>', 'How often both run at once.', wholeNumber(1, 100_000), 500)
  .action(async ({ table, rounds }) => {
    const endpoint = dynamodbEndpoint()
    const client = endpoint === undefined ? openClient() : connectTo(endpoint)
    const races = await race(client, table, rounds)
    for (const [name, count] of Object.entries(races)) print(`${name} ${count}`)
    process.exitCode = races.wrong === 0 ? 0 : 1
  })

await runCommand(import.meta.filename, command)
