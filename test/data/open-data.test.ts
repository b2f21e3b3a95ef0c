import { createServer } from 'node:http'
import { devNull } from 'node:os'
import type { HttpHandler } from '@smithy/core/protocols'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { withData } from '../../infra/data/open-data.ts'
import { listen } from '../../infra/listen.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { never } from './scenario.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { freePort } from '../support/free-port.ts'

function readTable(endpoint: string, table: string) {
  vi.stubEnv('DYNAMODB_ENDPOINT', endpoint)
  const clock = fakeClock()
  return clock.moving(withData(table, data => allProviders(data.table, never), clock))
}

/** The URL of a server that gives this answer to everything. */
async function serverOf(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${await listen(server, 0)}`
}

afterEach(() => void vi.unstubAllEnvs())

test('a call may take longer than one of a function, for DynamoDB Local and a large table', async () => {
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('dynamodbEndpoint'))
  const config = await withData('nope', async ({ client, table }) => {
    await allProviders(table, never).catch(() => {})
    return (client.config.requestHandler as unknown as HttpHandler<object>).httpHandlerConfigs()
  })
  expect(config).toMatchObject({ requestTimeout: 60_000 })
})

describe('a command reports in one sentence that', () => {
  test('there is no such table', async () => {
    const endpoint = inject('dynamodbEndpoint')
    await expect(readTable(endpoint, 'nope')).rejects.toThrow(`There is no table nope at ${endpoint}.`)
  })

  test('there is no DynamoDB', async () => {
    const unused = `http://127.0.0.1:${await freePort()}`
    await expect(readTable(unused, 'any')).rejects.toThrow(`The DynamoDB at ${unused} failed: ECONNREFUSED.`)
    await expect(readTable('garbage', 'any')).rejects.toThrow('DYNAMODB_ENDPOINT must be a URL')
  })

  test.each([
    [200, '<html>'],
    [404, '<html>'],
    [404, ''],
  ])('a server that answers %i "%s" is not a DynamoDB', async (status, body) => {
    const url = await serverOf(status, body)
    await expect(readTable(url, 'any')).rejects.toThrow(`The server at ${url} is not a DynamoDB.`)
  })

  test('access is denied', async () => {
    const message = 'User: x is not authorized to perform: dynamodb:Query'
    const answer = { __type: 'com.amazon.coral.service#AccessDeniedException', message }
    await expect(readTable(await serverOf(400, JSON.stringify(answer)), 'any')).rejects.toThrow(
      `${message}. Give your credentials the right to do this on the table.`,
    )
  })

  test('there is no region', async () => {
    for (const name of ['AWS_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, devNull)
    await expect(readTable('', 'any')).rejects.toThrow(
      'Set AWS_REGION, or DYNAMODB_ENDPOINT for a local table.',
    )
  })
})
