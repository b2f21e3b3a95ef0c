import { randomUUID } from 'node:crypto'
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { type Contents, prepareTable } from '../../../infra/local/table.ts'
import { dropTable } from '../../../infra/resources/table.ts'

test('the table gets the sample data, unless it is to be empty or keeps an item', async () => {
  const client = connectTo(inject('dynamodbEndpoint'))
  const tableName = `prepared-${randomUUID()}`
  onTestFinished(async () => {
    await dropTable(client, tableName)
  })
  const prepared = async (contents: Contents) => {
    const hasSampleData = await prepareTable(client, tableName, contents, () => {})
    const { Count } = await client.send(new ScanCommand({ TableName: tableName, Select: 'COUNT' }))
    return [hasSampleData, Count]
  }
  expect(await prepared({ keep: true, empty: true })).toEqual([false, 0])
  // A user, and no provider.
  await client.send(new PutCommand({ TableName: tableName, Item: { PK: 'USER#1', SK: 'USER' } }))
  expect(await prepared({ keep: true })).toEqual([false, 1])
  const [isImported, count] = await prepared({})
  expect(isImported).toBe(true)
  expect(await prepared({ keep: true })).toEqual([false, count])
  expect(await prepared({ empty: true })).toEqual([false, 0])
})
