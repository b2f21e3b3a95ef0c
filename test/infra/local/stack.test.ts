import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { startEngine } from '../../../infra/dynamodb/engine.ts'
import { listen } from '../../../infra/listen.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { type LocalStackOptions, startLocalStack } from '../../../infra/local/stack.ts'
import { type Contents, prepareTable } from '../../../infra/local/table.ts'
import { dropTable } from '../../../infra/resources/table.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function start(options: Partial<LocalStackOptions> = {}) {
  const stack = await startLocalStack({ port: 0, log: () => {}, ...options })
  onTestFinished(stack.stop)
  const authorization = `Bearer ${await stack.tokenFor()}`
  const send = async (path: string, method = 'GET') => {
    const response = await fetch(`${stack.url}/api/v2/saml${path}`, { method, headers: { authorization } })
    return JSON.parse(await response.text()).data
  }
  const listedIds = async () => (await send('')).saml_providers.map(({ id }: { id: number }) => id)
  return { ...stack, send, listedIds }
}

describe('the local stack', () => {
  test('has a log and a table of its own beside another one of the same folder, and drops the table', async () => {
    const engine = await startEngine()
    onTestFinished(engine.stop)
    const client = connectTo(engine.endpoint)
    const tables = async () => (await client.send(new ListTablesCommand())).TableNames
    const shared = { dataDirectory: temporaryFolder(), dynamodbEndpoint: engine.endpoint }
    const first = await start(shared)
    await first.send('/providers/3', 'DELETE')
    const logs = () => readdirSync(shared.dataDirectory).filter(name => name.endsWith('.log'))
    const [log = ''] = logs()
    const second = await start(shared)
    expect([await second.listedIds(), await first.listedIds()]).toEqual([
      [1, 2, 3, 4],
      [1, 2, 4],
    ])
    await second.stop()
    expect(await tables()).toEqual([first.table.name])
    expect(await first.listedIds()).toEqual([1, 2, 4])
    expect(readFileSync(join(shared.dataDirectory, log), 'utf8')).toContain('removal_finished')
    expect(logs()).toHaveLength(2)
  })

  test('keeps its data with `keep`, which one stack has at a time', async () => {
    const kept = { dataDirectory: temporaryFolder(), keep: true }
    const first = await start(kept)
    await first.send('/providers/3', 'DELETE')
    await first.stop()
    const { listedIds, hasSampleData } = await start(kept)
    expect([await listedIds(), hasSampleData]).toEqual([[1, 2, 4], false])
    await expect(start(kept)).rejects.toThrow('in use by another process')
  })

  test('stops what it has started when its start fails, or when it is stopped', async () => {
    const [port, unused] = [await freePort(), await freePort()]
    const failing = start({ port, dynamodbEndpoint: `http://127.0.0.1:${unused}` })
    await expect(failing).rejects.toThrow('ECONNREFUSED')
    const lines: string[] = []
    let early: Promise<Response> | undefined
    const log = (line: string) => {
      lines.push(line)
      early ??= fetch(`http://127.0.0.1:${port}/api/v2/saml`) // a request that arrives while it starts is answered
    }
    const { table, listedIds, stop } = await start({ port, log })
    expect(lines).toContain(`table      ${table.name} in an embedded DynamoDB at ${table.endpoint}`)
    expect((await early)?.status).toBe(401)
    expect(await listedIds()).toEqual([1, 2, 3, 4])
    await stop()
    const socket = connect(port, '127.0.0.1')
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
  })

  test('refuses to start after 10 s with a DynamoDB that does not answer', async () => {
    const silent = createServer()
    const endpoint = `http://127.0.0.1:${await listen(silent, 0)}`
    onTestFinished(() => void silent.close())
    const clock = fakeClock()
    const startMs = clock.nowMs()
    await expect(clock.moving(start({ dynamodbEndpoint: endpoint, clock }))).rejects.toThrow(
      `The DynamoDB at ${endpoint} does not answer: check the network and DYNAMODB_ENDPOINT.`,
    )
    expect([clock.nowMs() - startMs, clock.scheduled()]).toEqual([10_000, 0])
  })
})

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

describe('the local token issuer', () => {
  test('keeps its key in a file that only its owner can read', async () => {
    const path = temporaryFolder()
    const { trust } = await openIssuer(path)
    expect((await openIssuer(path)).trust).toBe(trust)
    expect(statSync(join(path, 'issuer.json')).mode & 0o777).toBe(0o600)
  })

  test('has one key when it is opened first several times concurrently', async () => {
    const path = temporaryFolder()
    const issuers = await Promise.all([openIssuer(path), openIssuer(path), openIssuer(path)])
    expect(new Set(issuers.map(({ trust }) => trust)).size).toBe(1)
    expect(readdirSync(path)).toEqual(['issuer.json'])
  })

  test('publishes the public key only', async () => {
    const { trust, tokenFor } = await openIssuer()
    const [{ jwks, issuer, audience }] = JSON.parse(trust)
    await jwtVerify(await tokenFor(), createLocalJWKSet(jwks), { issuer, audience, typ: 'at+jwt' })
    expect(Object.keys(jwks.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })

  const publicKey = '{"kty":"RSA","n":"u1SU","e":"AQAB"}'
  test.each(['', 'null', publicKey])('refuses a key file that contains %j, and names it', async text => {
    const path = temporaryFolder()
    const file = join(path, 'issuer.json')
    writeFileSync(file, text)
    await expect(openIssuer(path)).rejects.toThrow(`${file} does not contain a key: delete it`)
  })
})
