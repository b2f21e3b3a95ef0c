import { randomUUID } from 'node:crypto'
import { ScanCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, inject } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../../infra/resources/table.ts'

export type Actions = NonNullable<TransactWriteCommandInput['TransactItems']>
export type Item = Record<string, unknown>

export const key = (PK: string) => ({ PK, SK: '1' })
/** The items of the table before each test. */
export const a = { ...key('A'), count: 5, saml: 7, sso: 70, tags: ['x', { y: null }] }
export const b = { ...key('B'), count: 1, saml: 7 }

/**
 * A table of the engine that all tests share: what the service and its commands use of transactions holds for the
 * embedded one, and for that of DYNAMODB_ENDPOINT.
 */
export function vectorTable() {
  const TableName = `vectors-${randomUUID()}`
  const client = connectTo(inject('dynamodbEndpoint'))
  const transact = (TransactItems: Actions, ClientRequestToken?: string) =>
    client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }))
  const items = async () => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }))
    return Items.toSorted((left, right) => (left.PK < right.PK ? -1 : 1)) as Item[]
  }
  beforeAll(() => createTable(client, TableName))
  beforeEach(async () => {
    const left = (await items()).map(({ PK, SK }) => ({ Delete: { TableName, Key: { PK, SK } } }))
    if (left.length > 0) await transact(left)
    await transact([a, b].map(Item => ({ Put: { TableName, Item } })))
  })
  afterAll(async () => {
    await dropTable(client, TableName)
  })
  return { TableName, client, transact, items }
}
