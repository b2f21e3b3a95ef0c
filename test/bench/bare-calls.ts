import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { chunk, forEachConcurrently } from '../../lib/concurrency.ts'

const TableName = process.env.TABLE_NAME ?? ''
const plain = new DynamoDBClient({ maxAttempts: 1 })
// Its copy of each reply for a log is no part of a call.
plain.middlewareStack.remove('loggerMiddleware')
const client = DynamoDBDocumentClient.from(plain)

const batchesAtOnce = 16
const readsAtOnce = 4

/** The calls of both endpoints by the SDK's document client, with nothing around them: no token, no retry, no check, no answer. */
export async function handler({ pathParameters }: APIGatewayProxyEvent) {
  const id = Number(pathParameters?.id)
  await (pathParameters === null ? list() : remove(id))
  return { body: '' }
}

/** The providers, and beside them the caller. */
const list = () => Promise.all([query('SAML_PROVIDERS'), get({ PK: 'USER#nobody', SK: 'USER' })])

async function remove(id: number) {
  const provider = { PK: 'SAML_PROVIDERS', SK: `PROVIDER#${String(id).padStart(10, '0')}` }
  await Promise.all([get(provider), get({ PK: 'USER#nobody', SK: 'USER' })])
  await change(provider)
  const members = await query(`SAML_PROVIDER#${id}`)
  await forEachConcurrently(chunk(members, 25), batchesAtOnce, batch => unlink(batch, id))
  await change(provider)
  await forEachConcurrently(chunk(members, 100), readsAtOnce, async batch => {
    const Keys = batch.map(({ SK }) => ({ PK: SK, SK: 'USER' }))
    await client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }))
  })
}

const text = `UPDATE "${TableName}" SET updated_at = ? REMOVE saml_provider_id REMOVE sso_provider_id WHERE PK = ? AND SK = ? AND saml_provider_id = ? AND sso_provider_id = ?`

const mark = `UPDATE "${TableName}" SET expires_at = ? WHERE PK = ? AND SK = ?`

async function unlink(batch: Record<string, string>[], id: number) {
  const at = new Date().toISOString()
  const Statements = batch.map(({ SK }) => ({ Statement: text, Parameters: [at, SK, 'USER', id, id + 1] }))
  await client.send(new BatchExecuteStatementCommand({ Statements }))
  const marks = batch.map(({ PK, SK }) => ({ Statement: mark, Parameters: [1, PK, SK] }))
  await client.send(new BatchExecuteStatementCommand({ Statements: marks }))
}

const get = (Key: object) => client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))

const change = (Key: object) =>
  client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET removed_at = :at',
      ConditionExpression: 'attribute_exists(PK)',
      ExpressionAttributeValues: { ':at': new Date().toISOString() },
    }),
  )

async function query(PK: string) {
  const condition = { KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: { ':pk': PK } }
  const pages = paginateQuery({ client }, { TableName, ...condition, ConsistentRead: true })
  return (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items)
}
