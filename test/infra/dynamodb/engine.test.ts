import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { type Engine, startEngine } from '../../../infra/dynamodb/engine.ts'
import { createTable } from '../../../infra/resources/table.ts'

// For the embedded engine only: DynamoDB Local answers InternalFailure to values of a wrong type.

const TableName = 'malformed'
let engine: Engine

beforeAll(async () => {
  engine = await startEngine()
  await createTable(connectTo(engine.endpoint), TableName)
})
afterAll(() => engine.stop())

/** The status and the error's name, also that of the first statement; undefined when there is no error. */
async function send(operation: string, body: string): Promise<[number, string | undefined]> {
  const response = await fetch(engine.endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `DynamoDB_20120810.${operation}`,
      'X-Amz-Date': '20261122T000000Z',
      Authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none',
    },
    body,
  })
  const { __type, Responses: [first] = [] } = (await response.json()) as {
    __type?: string
    Responses?: { Error?: { Code: string } }[]
  }
  return [response.status, __type?.replace(/^.*#/, '') ?? first?.Error?.Code]
}

const Key = { PK: { S: 'A' }, SK: { S: '1' } }
const insert = `INSERT INTO "${TableName}" VALUE {'PK': ?, 'SK': ?}`
const put = (action: object) => ({ TransactItems: [{ Put: action }] })

const requests: Record<string, unknown[]> = {
  BatchExecuteStatement: [
    ...[null, {}, { Statements: [7] }, { Statements: [{}] }],
    { Statements: [{ Statement: insert, Parameters: [null, null] }] },
  ],
  TransactWriteItems: [
    ...[null, {}, { TransactItems: [7] }, put({}), put({ TableName, Item: { PK: null, SK: null } })],
    { TransactItems: [{ toString: { TableName, Item: Key } }] },
  ],
  GetItem: [null, { TableName, Key: 7 }, { TableName, Key: { PK: null, SK: null } }],
  ExecuteTransaction: [{}],
  constructor: [{}],
}

test.each(Object.entries(requests))(
  '%s refuses what is malformed, and the engine goes on',
  async (name, inputs) => {
    for (const body of [...inputs.map(input => JSON.stringify(input)), '{']) {
      const [status, error] = await send(name, body)
      expect(error, body).toMatch(/^(Serialization|Validation|UnknownOperation)/)
      expect(status).toBeLessThan(500)
    }
    expect(await send('ListTables', '{}')).toEqual([200, undefined])
  },
)

test('an empty client token is a token like any other', async () => {
  const write = (PK: string, more = {}) =>
    JSON.stringify({ ...put({ TableName, Item: { ...Key, PK: { S: PK } } }), ...more })
  expect(await send('TransactWriteItems', write('B', { ClientRequestToken: '' }))).toEqual([200, undefined])
  expect(await send('TransactWriteItems', write('C'))).toEqual([200, undefined])
})

test('the engine keeps running when a connection is reset, and closes no idle one', async () => {
  const socket = connect(Number(new URL(engine.endpoint).port), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{')
  await once(socket, 'ready')
  socket.resetAndDestroy()
  await once(socket, 'close')
  const { headers } = await fetch(engine.endpoint)
  expect([headers.get('connection'), headers.get('keep-alive')]).toEqual(['keep-alive', null])
})
