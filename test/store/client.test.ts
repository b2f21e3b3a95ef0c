import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { GetCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { openClient } from '../../lib/store/client.ts'
import { boundaryValues } from '../support/boundary-values.ts'
import { serverOf } from '../support/server-of.ts'

test('a call is attempted once', async () => {
  let attempts = 0
  const endpoint = await serverOf((_, response) => {
    attempts += 1
    response.writeHead(503).end()
  })
  const client = openClient({ endpoint, ...localAws })
  const call = client.send(new GetCommand({ TableName: 'any', Key: { PK: 'x', SK: 'x' } }))
  await expect(call).rejects.toThrow()
  expect(attempts).toBe(1)
})

test('no reply is copied for a log, and a call has only the headers that DynamoDB needs', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'any')
  vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-5759e988-bd862e3fe1be46a994272793')
  let received: IncomingHttpHeaders = {}
  const endpoint = await serverOf(({ headers }, response) => {
    received = headers
    response.end('{}')
  })
  const client = openClient({ endpoint, ...localAws })
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const info = vi.fn()
  client.config.logger = { ...client.config.logger, debug: () => {}, info }
  await client.send(new GetCommand({ TableName: 'any', Key: { PK: 'x', SK: 'x' } }))
  expect(info).not.toHaveBeenCalled()
  const names = Object.keys(received).filter(name => !/^(host|connection|content-length)$/.test(name))
  expect(names.sort()).toEqual([
    'amz-sdk-invocation-id',
    'amz-sdk-request',
    'authorization',
    'content-type',
    'x-amz-content-sha256',
    'x-amz-date',
    'x-amz-target',
  ])
})

/** A table with functions that write an item, and read it as it is stored. */
async function emptyTable() {
  const client = openClient({ endpoint: inject('dynamodbEndpoint'), ...localAws })
  const TableName = `client-${randomUUID()}`
  await createTable(client, TableName)
  onTestFinished(async () => {
    await dropTable(client, TableName)
  })
  return {
    put: (SK: string, attributes: object) =>
      client.send(new PutCommand({ TableName, Item: { ...attributes, PK: 'x', SK } })),
    async read(SK: string): Promise<object> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: { PK: 'x', SK } }))
      return Item ?? {}
    },
    async stored(SK: string) {
      const command = new GetItemCommand({ TableName, Key: marshall({ PK: 'x', SK }) })
      return { ...(await client.send(command)).Item, SK: undefined }
    },
  }
}

test.each(['0.10000000000000000555', '9007199254740993', '123456789012345678901234567890.12345678'])(
  'a number with more digits than a double is written back as it was read: %s',
  async digits => {
    const { put, read, stored } = await emptyTable()
    const number = NumberValue.from(digits)
    await put('given', { number, list: [number], map: { number }, set: new Set([number]) })
    await put('again', await read('given'))
    const item = await stored('again')
    expect(item).toMatchObject({ number: { N: digits }, set: { NS: [digits] } })
    expect(item).toEqual(await stored('given'))
  },
)

const text = fc.string({ unit: 'grapheme', minLength: 1 })
const name = fc.oneof(text, fc.constant('constructor')).filter(each => each !== '__proto__')
const { item } = fc.letrec<{ item: object; value: unknown }>(tie => ({
  item: fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...boundaryValues.map(([, value]) => value)),
    fc.constant(new Set([1, new NumberValue('9007199254740993')])),
    text,
    fc.maxSafeInteger(),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('item'),
  ),
}))

test('an item that was read is written back as it was stored', async () => {
  const { put, read, stored } = await emptyTable()
  await fc.assert(
    fc.asyncProperty(item, async attributes => {
      await put('given', attributes)
      await put('again', await read('given'))
      expect(await stored('again')).toEqual(await stored('given'))
    }),
    { numRuns: process.env.TEST_FULL ? 100 : 40 },
  )
})
