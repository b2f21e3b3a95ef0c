import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { race } from '../../engines/isolation.ts'
import { vectorTable } from './vector-table.ts'

const { TableName, client } = vectorTable()
const rounds = 20

test('a statement of a batch meets a transaction on its item as a single write does', async () => {
  const { wrong, statementFirst, transactionFirst, conflicts } = await race(client, TableName, rounds)
  expect([wrong, statementFirst + transactionFirst + conflicts]).toEqual([0, rounds])
})

test('the script for AWS finds an engine whose statement writes what it has read before a transaction', async () => {
  const { wrong, statementFirst } = await race(withLateStatements(), TableName, rounds)
  expect([wrong, statementFirst]).toEqual([rounds, 0])
})

/** The client of an engine where a statement that has read its item waits for the transaction, and then writes. */
function withLateStatements() {
  let transaction: Promise<unknown>
  const send = async (command: { input: { Statements?: [Statement]; TransactItems?: unknown } }) => {
    const { Statements: [statement] = [], TransactItems } = command.input
    if (statement === undefined) {
      const sent = client.send(command as never)
      if (TransactItems !== undefined) transaction = sent
      return sent
    }
    await Promise.resolve() // the transaction begins
    await transaction
    const [expires_at, PK, SK] = statement.Parameters
    await client.send(new PutCommand({ TableName, Item: { PK, SK, expires_at } }))
    return { Responses: [{ TableName }] }
  }
  return { send } as unknown as DynamoDBDocumentClient
}

interface Statement {
  Parameters: [expiresAt: number, PK: string, SK: string]
}
