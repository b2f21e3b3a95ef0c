import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { GetCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { localAws } from '../../infra/dynamodb/client.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { openClient } from '../../lib/store/client.ts'
import { boundaryValues } from '../support/samples.ts'
import { serverOf } from '../support/machine.ts'

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

test('a call that DynamoDB does not answer ends after the duration of an attempt', async () => {
  const client = openClient({ endpoint: await serverOf(() => {}), ...localAws }, 50)
  const call = client.send(new GetCommand({ TableName: 'any', Key: { PK: 'x', SK: 'x' } }))
  await expect(call).rejects.toMatchObject({ code: 'ETIMEDOUT' })
}, 10_000)

test('a call has only the headers that DynamoDB needs', async () => {
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

const digits = ['0.10000000000000000555', '9007199254740993', '123456789012345678901234567890.12345678']

test('an item that was read is written back as it was stored', async () => {
  const client = openClient({ endpoint: inject('dynamodbEndpoint'), ...localAws })
  const TableName = `client-${randomUUID()}`
  await createTable(client, TableName)
  onTestFinished(async () => {
    await dropTable(client, TableName)
  })
  const key = (SK: string) => ({ PK: 'x', SK })
  const put = (SK: string, attributes: object) =>
    client.send(new PutCommand({ TableName, Item: { ...attributes, ...key(SK) } }))
  const stored = async (SK: string) => {
    const { Item = {} } = await client.send(new GetItemCommand({ TableName, Key: marshall(key(SK)) }))
    return { ...Item, SK: undefined }
  }

  const values = [
    ...boundaryValues,
    ...digits.map(each => [each, NumberValue.from(each)] as const),
    [
      'a set with a number that JavaScript rounds',
      new Set([1, new NumberValue('9007199254740993')]),
    ] as const,
    ['a map with a member constructor', { constructor: 'x' }] as const,
  ]
  const map = Object.fromEntries(values)
  await put('given', { ...map, map, list: values.map(([, value]) => value) })
  const { Item: read = {} } = await client.send(new GetCommand({ TableName, Key: key('given') }))
  await put('again', read)
  const given = await stored('given')
  expect(given).toMatchObject(Object.fromEntries(digits.map(each => [each, { N: each }])))
  expect(await stored('again')).toEqual(given)
})
