import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { type Engine, startEngine } from '../../../infra/dynamodb/engine.ts'
import { createTable } from '../../../infra/resources/table.ts'
import { refusal } from '../../../infra/dynamodb/wire.ts'

// For the embedded engine only: DynamoDB Local answers InternalFailure to values of a wrong type.

const TableName = 'malformed'
let engine: Engine

beforeAll(async () => {
  engine = await startEngine()
  const client = connectTo(engine.endpoint)
  await createTable(client, TableName)
})
afterAll(() => engine.stop())

/** The status and the error's name, also that of the first statement; undefined when there is no error. */
async function send(
  operation: string,
  body: string,
  contentType = 'application/x-amz-json-1.0',
): Promise<[number, string | undefined]> {
  const response = await fetch(engine.endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': contentType,
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
const batch = (Statements: unknown) => ({ Statements })
const insert = (Parameters: unknown) =>
  batch([{ Statement: `INSERT INTO "${TableName}" VALUE {'PK': ?, 'SK': ?}`, Parameters }])
const transaction = (TransactItems: unknown) => ({ TransactItems })
const put = (action: unknown) => transaction([{ Put: action }])

const requests: Record<string, unknown[]> = {
  BatchExecuteStatement: [
    ...[null, 7, 'text', true, [], {}],
    ...[null, 7, 'text', true, {}, [7], ['text'], [[]], [null], [{}], [{ Statement: 7 }]].map(batch),
    ...[7, 'text', {}, [7, 7], ['A', '1'], [[], []], [{ S: 7 }, { S: '1' }], [null, null]].map(insert),
  ],
  TransactWriteItems: [
    ...[null, 7, 'text', true, [], {}],
    ...[null, 7, 'text', true, {}, [7], ['text'], [[]], [null]].map(transaction),
    ...[null, 7, 'text', [], {}, { Item: Key }, { TableName }, { TableName, Item: null }].map(put),
    ...[7, {}, []].map(TableName => put({ TableName, Item: Key })),
    ...[7, 'text', [], { PK: null, SK: null }].map(Item => put({ TableName, Item })),
    transaction([{ toString: { TableName, Item: Key } }]),
  ],
  GetItem: [null, 7, 'text', true, [], { TableName, Key: 7 }, { TableName, Key: { PK: null, SK: null } }],
  toString: [{}],
  constructor: [{}],
}

test.each(Object.entries(requests))(
  '%s refuses what is malformed, and the engine goes on',
  async (name, inputs) => {
    for (const input of inputs) {
      const [status, error] = await send(name, JSON.stringify(input))
      expect(error, JSON.stringify(input)).toMatch(/^(Serialization|Validation|UnknownOperation)/)
      expect(status).toBeLessThan(500)
    }
    expect(await send('ListTables', '{}')).toEqual([200, undefined])
  },
)

test.each(['GetItem', 'BatchExecuteStatement', 'TransactWriteItems'])(
  '%s refuses a body that is not JSON',
  async operation => {
    expect(await send(operation, '{')).toEqual([400, 'SerializationException'])
  },
)

test('an empty client token is a token like any other', async () => {
  const write = (PK: string, more = {}) =>
    JSON.stringify({ ...put({ TableName, Item: { ...Key, PK: { S: PK } } }), ...more })
  expect(await send('TransactWriteItems', write('B', { ClientRequestToken: '' }))).toEqual([200, undefined])
  expect(await send('TransactWriteItems', write('C'))).toEqual([200, undefined])
})

test.each(['BatchExecuteStatement', 'TransactWriteItems'])(
  '%s refuses another content type',
  async operation => {
    const body = JSON.stringify({ ...insert(Object.values(Key)), ...put({ TableName, Item: Key }) })
    expect(await send(operation, body, 'text/plain')).toEqual([400, 'UnknownOperationException'])
  },
)

test('an unexpected error is an InternalServerError', () => {
  const { status, text } = refusal(new TypeError('as planned'))
  expect([status, text]).toEqual([500, expect.stringContaining('#InternalServerError')])
})
