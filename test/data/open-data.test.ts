import { randomUUID } from 'node:crypto'
import { createServer as createTcpServer } from 'node:net'
import { devNull } from 'node:os'
import { CreateTableCommand, ListTablesCommand, type ScalarAttributeType } from '@aws-sdk/client-dynamodb'
import type { HttpHandler } from '@smithy/core/protocols'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { withData } from '../../infra/data/open-data.ts'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { listen } from '../../infra/listen.ts'
import { dropTable } from '../../infra/resources/table.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { freePort } from '../support/free-port.ts'
import { serverOf } from '../support/server-of.ts'
import { dataHere } from './command-process.ts'
import { described, errorOf, newClock, openOnAws, stubAws } from './fake-aws.ts'
import { never } from './scenario.ts'

afterEach(() => void vi.unstubAllEnvs())

test.each<[key: string, ...attributes: [string, ScalarAttributeType][]]>([
  ['PK (S)', ['PK', 'S']],
  ['PK (S) and SK (N)', ['PK', 'S'], ['SK', 'N']],
])('a command refuses a table with the key %s', async (key, ...attributes) => {
  const endpoint = inject('dynamodbEndpoint')
  const client = connectTo(endpoint)
  const TableName = `key-${randomUUID()}`
  const AttributeDefinitions = attributes.map(([AttributeName, AttributeType]) => ({
    AttributeName,
    AttributeType,
  }))
  const KeySchema = attributes.map(([AttributeName], n) => ({
    AttributeName,
    KeyType: n === 0 ? ('HASH' as const) : ('RANGE' as const),
  }))
  const BillingMode = 'PAY_PER_REQUEST'
  await client.send(new CreateTableCommand({ TableName, BillingMode, AttributeDefinitions, KeySchema }))
  onTestFinished(() => dropTable(client, TableName))
  const stderr = `The table ${TableName} at ${endpoint} has the key ${key}, not PK (S) and SK (S): check --table.\n`
  expect(await dataHere('verify', '--table', TableName)).toEqual({ code: 2, stdout: '', stderr })
})

describe('a command warns, and goes on,', () => {
  const missing = /^The table accounts has no TTL on expires_at, .+\n$/
  test.each<[string, string | undefined, RegExp]>([
    ['DISABLED', undefined, missing],
    ['ENABLED', 'ttl', missing],
    ['ENABLING', 'expires_at', /^$/],
    ['ENABLED', 'expires_at', /^$/],
  ])('when a table of AWS has not the TTL: %s on %s', async (TimeToLiveStatus, AttributeName, warning) => {
    const TimeToLiveDescription = { TimeToLiveStatus, AttributeName }
    const outcome = await openOnAws({ ...described, DescribeTimeToLive: { TimeToLiveDescription } })
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(warning) })
  })

  test('when it has no right to look', async () => {
    const sentence = (action: string) =>
      `The table was not checked, because your credentials lack the right dynamodb:${action}.\n`
    const stderr = `${sentence('DescribeTable')}${sentence('DescribeTimeToLive')}`
    expect(await openOnAws({})).toEqual({ code: 0, stdout: '', stderr })
  })
})

function readTable(endpoint: string, table: string) {
  vi.stubEnv('DYNAMODB_ENDPOINT', endpoint)
  const clock = newClock()
  return clock.moving(withData(table, never, data => allProviders(data.table, never), clock))
}

/** The URL of a server that gives this answer to everything. */
const answering = (status: number, body: string) =>
  serverOf((_, response) => response.writeHead(status).end(body))

test('a call may take longer than one of a function, for DynamoDB Local and a large table', async () => {
  const client = connectTo(inject('dynamodbEndpoint'))
  await client.send(new ListTablesCommand())
  const { requestTimeout } = (
    client.config.requestHandler as unknown as HttpHandler<{ requestTimeout: number }>
  ).httpHandlerConfigs()
  expect(requestTimeout).toBe(60_000)
})

describe('a command reports in one sentence that', () => {
  test('there is no such table', async () => {
    const endpoint = inject('dynamodbEndpoint')
    await expect(readTable(endpoint, 'nope')).rejects.toThrow(
      `There is no table nope at ${endpoint}: check --table and DYNAMODB_ENDPOINT.`,
    )
  })

  test('there is no DynamoDB', async () => {
    const unused = `http://127.0.0.1:${await freePort()}`
    await expect(readTable(unused, 'any')).rejects.toThrow(
      `The DynamoDB at ${unused} cannot be reached (ECONNREFUSED): check the network and DYNAMODB_ENDPOINT.`,
    )
    await expect(readTable('garbage', 'any')).rejects.toThrow('DYNAMODB_ENDPOINT must be a URL')
  })

  test('a DynamoDB does not answer', async () => {
    const asked = Promise.withResolvers<void>()
    const url = await serverOf(() => asked.resolve())
    vi.stubEnv('DYNAMODB_ENDPOINT', url)
    const clock = fakeClock()
    const reading = withData('any', never, async () => {}, clock)
    await asked.promise
    clock.advance(10_000)
    await expect(reading).rejects.toThrow(`The DynamoDB at ${url} does not answer`)
  })

  test.each([
    [200, '<html>'],
    [404, '<html>'],
    [404, ''],
  ])('a server that answers %i "%s" is not a DynamoDB', async (status, body) => {
    const url = await answering(status, body)
    await expect(readTable(url, 'any')).rejects.toThrow(
      `The server at ${url} is not a DynamoDB: check DYNAMODB_ENDPOINT.`,
    )
  })

  test('a server that does not speak HTTP is not a DynamoDB', async () => {
    const server = createTcpServer(socket => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${await listen(server, 0)}`
    await expect(readTable(url, 'any')).rejects.toThrow(`The server at ${url} is not a DynamoDB: check`)
  })

  // The names are those of "Common Errors" in the DynamoDB API Reference; the texts are shortened.
  test.each([
    ['ExpiredTokenException', 'The security token is expired', 'No AWS credentials can be used (The sec'],
    [
      'ValidationException',
      'TableName is short.',
      'The DynamoDB in eu-central-1 failed: TableName is short.\n',
    ],
  ])('AWS answers %s "%s"', async (name, message, sentence) => {
    const { code, stderr } = await openOnAws({ DescribeTable: errorOf(name, message) })
    expect([code, stderr.slice(0, sentence.length)]).toEqual([1, sentence])
    expect(stderr).toMatch(/^[^\n]+\.\n$/)
  })

  test('a change met other writers too often', async () => {
    const cause = new Error('other writers interfered 20 times')
    const { code, stderr } = await openOnAws(described, async () => {
      throw new Failure('table_busy', {}, cause)
    })
    expect([code, stderr]).toEqual([1, `The DynamoDB in eu-central-1 failed: ${cause.message}.\n`])
  })

  test('access is denied', async () => {
    const { code, stderr } = await openOnAws(described, data => allProviders(data.table, never))
    expect(code).toBe(1)
    expect(stderr).toBe(
      'User: x is not authorized to perform: dynamodb:Query. Give your credentials the right to do this on the table.\n',
    )
  })

  test('there are no credentials', async () => {
    stubAws('')
    const none = { AWS_PROFILE: undefined, AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined }
    const files = { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull }
    const others = { ...files, AWS_EC2_METADATA_DISABLED: 'true' }
    for (const [name, value] of Object.entries({ ...none, ...others })) vi.stubEnv(name, value)
    await expect(withData('any', never, async () => {}, newClock())).rejects.toThrow(
      /^No AWS credentials can be used \(.+\): check AWS_PROFILE, or .+\.$/,
    )
  })

  test('there is no region', async () => {
    for (const name of ['AWS_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, devNull)
    await expect(readTable('', 'any')).rejects.toThrow(
      'Set AWS_REGION to a region such as eu-central-1, or DYNAMODB_ENDPOINT for a local table.',
    )
  })
})
