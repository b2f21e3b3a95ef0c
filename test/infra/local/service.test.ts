import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { type LocalServiceOptions, startLocalService } from '../../../infra/local/service.ts'
import { dropTable } from '../../../infra/resources/table.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { freePort, temporaryFolder } from '../../support/machine.ts'

async function start(options: Partial<LocalServiceOptions> = {}) {
  const service = await startLocalService({ port: 0, log: () => {}, ...options })
  onTestFinished(service.stop)
  const authorization = `Bearer ${await service.tokenFor()}`
  const send = async (path: string, method = 'GET') => {
    const response = await fetch(`${service.url}/api/v2/saml${path}`, { method, headers: { authorization } })
    return JSON.parse(await response.text()).data
  }
  const listedIds = async () => (await send('')).saml_providers.map(({ id }: { id: number }) => id)
  const page = async (name: string) =>
    JSON.parse(await (await fetch(`${service.url}/docs/${name}.json`)).text())
  return { ...service, send, listedIds, page }
}

const expectFree = (port: number) =>
  expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')

test('the local service goes on with the table that it left in another DynamoDB', async () => {
  const tableName = `local-${randomUUID()}`
  const own = { dynamodbEndpoint: inject('dynamodbEndpoint'), parameters: { tableName } }
  onTestFinished(() => dropTable(connectTo(own.dynamodbEndpoint), tableName))
  const first = await start(own)
  await first.send('/providers/1', 'DELETE')
  await first.stop()
  const { listedIds, page, removable } = await start({ ...own, empty: true })
  expect([await listedIds(), removable?.id]).toEqual([[2, 3, 4], 2])
  expect(await page('service')).toMatchObject({
    data: 'your own',
    place: `${tableName} in the DynamoDB at ${own.dynamodbEndpoint}`,
    providers: [
      { name: 'Okta', state: 'removed', users: 9 },
      { state: 'active', users: 7 },
      { state: 'active', users: 4 },
      { state: 'active', users: 0 },
    ],
  })
})

test('the local service counts the sample users who have no dot on its page', async () => {
  const { page } = await start()
  expect(await page('service')).toMatchObject({
    data: '4 providers and 25 users, 5 of them without a provider, all made up; each start begins anew',
    providers: [9, 7, 4, 0].map(users => ({ users })),
  })
})

test('the local service answers each caller of its page as the page says', async () => {
  const { url, page } = await start()
  const answer = async (token: string | undefined, path: string, method: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/api/v2/saml${path}`, { method, headers })
    const { code } = JSON.parse(await response.text())
    return code === undefined ? 'done' : `${response.status} ${code}`
  }
  const callers: { may: string; token?: string }[] = await page('callers')
  expect(callers).toHaveLength(6)
  for (const { may, token } of callers.toReversed()) {
    const [refusal = 'done'] = /\d{3} \w+/.exec(may) ?? []
    expect(await answer(token, '', 'GET'), may).toBe(may.startsWith('list') ? 'done' : refusal)
    expect(await answer(token, '/providers/2', 'DELETE'), may).toBe(refusal)
  }
})

test('the local service finishes on its schedule a removal that was interrupted', async () => {
  const clock = fakeClock()
  const { table } = await start({ clock })
  const client = connectTo(table.endpoint)
  const of = { TableName: table.name, Key: providerKey(3) }
  const stored = async () => (await client.send(new GetCommand({ ...of, ConsistentRead: true }))).Item
  await client.send(new PutCommand({ ...of, Item: { ...(await stored()), state: 'removing' } }))
  clock.advance(15 * 60_000)
  while ((await stored())?.state !== 'removed');
})

test('the local service answers from its first line until it frees its port', async () => {
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
  const dynamodbEndpoint = `http://127.0.0.1:${port}`
  const refused = start({ dynamodbEndpoint })
  await expect(refused).rejects.toThrow(`No DynamoDB answers at ${dynamodbEndpoint} (ECONNREFUSED)`)
})

test('the local token issuer has one key in a file of its owner alone', async () => {
  const folder = temporaryFolder()
  const issuers = await Promise.all([openIssuer(folder), openIssuer(folder), openIssuer(folder)])
  expect(new Set(issuers.map(({ trust }) => trust)).size).toBe(1)
  expect(readdirSync(folder)).toEqual(['issuer.json'])
  const file = join(folder, 'issuer.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const [{ jwks }] = JSON.parse((await openIssuer(folder)).trust)
  expect(Object.keys(jwks.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  writeFileSync(file, 'null')
  await expect(openIssuer(folder)).rejects.toThrow(`${file} does not contain a key: delete it`)
})
