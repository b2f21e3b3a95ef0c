import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { startEngine } from '../../../infra/dynamodb/engine.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { type LocalStackOptions, startLocalStack } from '../../../infra/local/stack.ts'
import { tableNameFor } from '../../../infra/local/table.ts'
import { createTable } from '../../../infra/resources/table.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { freePort, serverOf, temporaryFolder } from '../../support/machine.ts'

async function start(options: Partial<LocalStackOptions> = {}) {
  const stack = await startLocalStack({ port: 0, log: () => {}, ...options })
  onTestFinished(stack.stop)
  const authorization = `Bearer ${await stack.tokenFor()}`
  const send = async (path: string, method = 'GET') => {
    const response = await fetch(`${stack.url}/api/v2/saml${path}`, { method, headers: { authorization } })
    return JSON.parse(await response.text()).data
  }
  const listedIds = async () => (await send('')).saml_providers.map(({ id }: { id: number }) => id)
  const page = async (name: string) =>
    JSON.parse(await (await fetch(`${stack.url}/docs/${name}.json`)).text())
  return { ...stack, send, listedIds, page }
}

const expectFree = (port: number) =>
  expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')

/** Of no provider. */
const user = { PK: 'USER#1', SK: 'USER' }

describe('the local stack', () => {
  test('has a table of its own beside another one of the same folder', async () => {
    const engine = await startEngine()
    onTestFinished(engine.stop)
    const client = connectTo(engine.endpoint)
    const tables = async () => (await client.send(new ListTablesCommand())).TableNames
    const shared = { dataDirectory: temporaryFolder(), dynamodbEndpoint: engine.endpoint }
    const port = await freePort()
    const TableName = tableNameFor({ ...shared, port })
    await createTable(client, TableName) // which a stack that was killed has left there
    await client.send(new PutCommand({ TableName, Item: user }))
    const first = await start({ ...shared, port })
    await first.send('/providers/3', 'DELETE')
    const second = await start(shared)
    expect(await second.page('stack')).toMatchObject({
      place: `${second.table.name} in the DynamoDB at ${engine.endpoint}`,
      summary: '4 providers and 25 users as samples, the same again at each start',
      providers: { length: 4 },
    })
    expect([await second.listedIds(), await first.listedIds()]).toEqual([
      [1, 2, 3, 4],
      [1, 2, 4],
    ])
    await second.stop()
    expect(await tables()).toEqual([first.table.name])
    expect(await first.listedIds()).toEqual([1, 2, 4])
  })

  test('answers each caller of its page as the page says', async () => {
    const { url, page } = await start()
    const answer = async (token: string, path: string, method: string) => {
      const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
      const response = await fetch(`${url}/api/v2/saml${path}`, { method, headers })
      const { code } = JSON.parse(await response.text())
      return code === undefined ? 'done' : `${response.status} ${code}`
    }
    const callers: { may: string; token: string }[] = await page('tokens')
    expect(callers).toHaveLength(6)
    for (const { may, token } of callers.toReversed()) {
      const [refusal = 'done'] = /\d{3} \w+/.exec(may) ?? []
      expect(await answer(token, '', 'GET'), may).toBe(may.startsWith('list') ? 'done' : refusal)
      expect(await answer(token, '/providers/2', 'DELETE'), may).toBe(refusal)
    }
  })

  test('finishes on its schedule a removal that was interrupted', async () => {
    const clock = fakeClock()
    const { table } = await start({ clock })
    const client = connectTo(table.endpoint)
    const of = { TableName: table.name, Key: providerKey(3) }
    const stored = async () => (await client.send(new GetCommand({ ...of, ConsistentRead: true }))).Item
    await client.send(new PutCommand({ ...of, Item: { ...(await stored()), state: 'removing' } }))
    clock.advance(15 * 60_000)
    while ((await stored())?.state !== 'removed');
  })

  test('keeps its data with `keep`', async () => {
    const kept = { dataDirectory: temporaryFolder(), keep: true }
    const first = await start({ ...kept, empty: true })
    expect([await first.listedIds(), first.hasSampleData]).toEqual([[], false])
    await connectTo(first.table.endpoint).send(new PutCommand({ TableName: first.table.name, Item: user }))
    await first.stop()
    const { listedIds, hasSampleData, page, table } = await start(kept)
    expect([await listedIds(), hasSampleData]).toEqual([[], false])
    const place = `${table.name} in an embedded DynamoDB at ${table.endpoint}, kept in ${kept.dataDirectory}/dynamodb`
    expect(await page('stack')).toMatchObject({ place, summary: 'kept from the last start', providers: [] })
    await expect(start(kept)).rejects.toThrow('in use by another process')
  })

  test('stops what it has started when no DynamoDB answers within 10 s', async () => {
    const port = await freePort()
    const dynamodbEndpoint = await serverOf(() => {})
    const clock = fakeClock()
    const startMs = clock.nowMs()
    await expect(clock.moving(start({ port, dynamodbEndpoint, clock }))).rejects.toThrow(
      `The DynamoDB at ${dynamodbEndpoint} does not answer: check the network and DYNAMODB_ENDPOINT.`,
    )
    expect([clock.nowMs() - startMs, clock.scheduled()]).toEqual([10_000, 0])
    await expectFree(port)
  })

  test('answers a request that arrives while it starts', async () => {
    const port = await freePort()
    let early: Promise<Response> | undefined
    const log = () => {
      early ??= fetch(`http://127.0.0.1:${port}/api/v2/saml`)
    }
    const { listedIds, stop } = await start({ port, log })
    expect((await early)?.status).toBe(401)
    expect(await listedIds()).toEqual([1, 2, 3, 4])
    await stop()
    await expectFree(port)
  })
})

test('the local token issuer has one key, in a file of its owner alone', async () => {
  const folder = temporaryFolder()
  const issuers = await Promise.all([openIssuer(folder), openIssuer(folder), openIssuer(folder)])
  expect(new Set(issuers.map(({ trust }) => trust)).size).toBe(1)
  expect(readdirSync(folder)).toEqual(['issuer.json'])
  const file = join(folder, 'issuer.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const [{ jwks }] = JSON.parse((await openIssuer(folder)).trust)
  expect(Object.keys(jwks.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  for (const text of ['', 'null', '{"kty":"RSA","n":"u1SU","e":"AQAB"}']) {
    writeFileSync(file, text)
    await expect(openIssuer(folder)).rejects.toThrow(`${file} does not contain a key: delete it`)
  }
})
