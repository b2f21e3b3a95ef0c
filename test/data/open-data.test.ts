import { createServer as createTcpServer } from 'node:net'
import { devNull } from 'node:os'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import type { HttpHandler } from '@smithy/core/protocols'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { type Data, withData } from '../../infra/data/open-data.ts'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { listen } from '../../infra/listen.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { captured } from '../support/captured.ts'
import { type FakeClock, fakeClock } from '../support/fake-clock.ts'
import { freePort } from '../support/free-port.ts'
import { serverOf } from '../support/server-of.ts'
import { never } from './scenario.ts'

afterEach(() => void vi.unstubAllEnvs())

const setVariables = (values: Record<string, string | undefined>) => {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value)
}
const noFiles = { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull, AWS_PROFILE: undefined }

/** Time jumps over pauses, and not to the time limit of an answer. */
const pausesOnly = () => fakeClock(undefined, 1000)

async function open(
  work: (data: Data) => Promise<unknown> = data => allProviders(data.table, never),
  clock = pausesOnly(),
) {
  return captured(() => clock.moving(withData('accounts', never, work, clock)))
}

const tableOf = (types: Record<string, string>) => ({
  Table: {
    KeySchema: Object.keys(types).map(AttributeName => ({ AttributeName })),
    AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
  },
})
/** The answers to the calls of a command that reads the providers. */
const usual = {
  DescribeTable: tableOf({ PK: 'S', SK: 'S' }),
  DescribeTimeToLive: {
    TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'expires_at' },
  },
  Query: { Items: [] },
}
const errorOf = (name: string, message: string) => ({
  __type: `com.amazon.coral.service#${name}`,
  message,
})

/** Opens a table of AWS, as which a server stands in that denies all but some calls. */
async function openOnAws(answers: Record<string, object | undefined>, work?: Parameters<typeof open>[0]) {
  const url = await serverOf(({ headers }, response) => {
    const action = String(headers['x-amz-target']).replace(/^.*\./, '')
    const message = `User: x is not authorized to perform: dynamodb:${action}`
    const answer = answers[action] ?? errorOf('AccessDeniedException', message)
    response.writeHead('__type' in answer ? 400 : 200).end(JSON.stringify(answer))
  })
  setVariables({ AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any', AWS_REGION: 'eu-central-1' })
  setVariables({ AWS_ENDPOINT_URL: url, DYNAMODB_ENDPOINT: undefined })
  return open(work)
}

/** The longest duration of an attempt of a client. */
const attemptMaxMs = ({ config }: Pick<Data['client'], 'config'>) =>
  (config.requestHandler as unknown as HttpHandler<{ requestTimeout: number }>).httpHandlerConfigs()
    .requestTimeout

describe('a command on AWS', () => {
  test('lets a call take longer than one of a function, for a large page', async () => {
    let allowedMs = 0
    await openOnAws(usual, async ({ client }) => {
      allowedMs = attemptMaxMs(client)
    })
    expect(allowedMs).toBe(10_000)
  })

  test.each([
    ['PK (S)', { PK: 'S' }],
    ['PK (S) and SK (N)', { PK: 'S', SK: 'N' }],
  ])('refuses a table with the key %s', async (key, types) => {
    const stderr = `The table accounts in eu-central-1 has the key ${key}, not PK (S) and SK (S): check --table.\n`
    const outcome = await openOnAws({ ...usual, DescribeTable: tableOf(types) })
    expect(outcome).toEqual({ code: 1, stdout: '', stderr })
  })

  const missing = /^The table accounts has no TTL on expires_at, .+\n$/
  test.each([
    ['DISABLING', 'expires_at', missing],
    ['ENABLED', 'ttl', missing],
    ['ENABLING', 'expires_at', /^$/],
    ['ENABLED', 'expires_at', /^$/],
  ])('warns, and goes on, without the TTL: %s on %s', async (TimeToLiveStatus, AttributeName, warning) => {
    const TimeToLiveDescription = { TimeToLiveStatus, AttributeName }
    const outcome = await openOnAws({ ...usual, DescribeTimeToLive: { TimeToLiveDescription } })
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(warning) })
  })

  test('warns, and goes on, without the rights to look', async () => {
    const sentence = (action: string) =>
      `The table was not checked, because your credentials lack the right dynamodb:${action}.\n`
    const stderr = `${sentence('DescribeTable')}${sentence('DescribeTimeToLive')}`
    expect(await openOnAws({ Query: usual.Query })).toEqual({ code: 0, stdout: '', stderr })
  })

  // The names are those of "Common Errors" in the DynamoDB API Reference; the texts are shortened.
  test.each<[string, object, RegExp]>([
    [
      'of expired credentials',
      { DescribeTable: errorOf('ExpiredTokenException', 'It is expired') },
      /^No AWS credentials can be used \(It is expired\): check AWS_PROFILE, or [^\n]+\.\n$/,
    ],
    [
      'of another kind',
      { DescribeTable: errorOf('ValidationException', 'TableName is short.') },
      /^The DynamoDB in eu-central-1 failed: TableName is short\.\n$/,
    ],
    [
      'for want of a right',
      { Query: undefined },
      /^User: x is not authorized to perform: dynamodb:Query\. Give your credentials the right to do [^\n]+\.\n$/,
    ],
  ])('says in one sentence an error %s', async (_, answers, sentence) => {
    const { code, stderr } = await openOnAws({ ...usual, ...answers })
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
  })

  test('says in one sentence that a change met other writers too often', async () => {
    const { stderr } = await openOnAws(usual, async () => {
      throw new Failure('table_busy', {}, new Error('other writers interfered 20 times'))
    })
    expect(stderr).toBe('The DynamoDB in eu-central-1 failed: other writers interfered 20 times.\n')
  })

  test('says in one sentence that there are no credentials, or no region', async () => {
    setVariables({ ...noFiles, AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined })
    setVariables({
      DYNAMODB_ENDPOINT: undefined,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_REGION: 'eu-central-1',
    })
    expect((await open()).stderr).toMatch(
      /^No AWS credentials can be used \(.+\): check AWS_PROFILE, or .+\.\n$/,
    )
    vi.stubEnv('AWS_REGION', undefined)
    expect((await open()).stderr).toBe(
      'Set AWS_REGION to a region such as eu-central-1, or DYNAMODB_ENDPOINT for a local table.\n',
    )
  })
})

describe('a command on a local DynamoDB', () => {
  test('lets a call take longer than one of a function, for a large table', async () => {
    const client = connectTo(inject('dynamodbEndpoint'))
    await client.send(new ListTablesCommand())
    expect(attemptMaxMs(client)).toBe(60_000)
  })

  /** The URL of a server that gives this answer to everything. */
  const answering = (status: number, body: string) =>
    serverOf((_, response) => response.writeHead(status).end(body))
  const silent = () => serverOf(() => {})
  const withoutHttp = async () => {
    const server = createTcpServer(socket => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${await listen(server, 0)}`
  }
  const nobody = async () => `http://127.0.0.1:${await freePort()}`
  const isNone = 'is not a DynamoDB: check'

  test.each<[string, () => Promise<string>, string, FakeClock?]>([
    ['does not answer', silent, 'does not answer: check the network and', fakeClock(undefined, 10_000)],
    ['is not there', nobody, 'cannot be reached (ECONNREFUSED): check the network and'],
    ['is a web server', () => answering(200, '<html>'), isNone],
    ['is a web server without this page', () => answering(404, '<html>'), isNone],
    ['answers an error without a name', () => answering(404, ''), isNone],
    ['does not speak HTTP', withoutHttp, isNone],
  ])('says that the server %s', async (_, start, sentence, clock = pausesOnly()) => {
    const url = await start()
    vi.stubEnv('DYNAMODB_ENDPOINT', url)
    const { code, stderr } = await open(undefined, clock)
    expect([code, stderr.replace(/^The \w+ /, '')]).toEqual([1, `at ${url} ${sentence} DYNAMODB_ENDPOINT.\n`])
  })
})
