import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { type LocalService, startLocalService } from '../../infra/local/service.ts'
import { dropTable } from '../../infra/resources/table.ts'
import { endpointUrls } from '../../infra/serverless/service-definition.ts'
import { mainJob } from '../support/main-job.ts'
import { assertDocumented } from '../openapi/validate.ts'

// The built bundles behind the local gateway, called over HTTP as by an existing client.

const dynamodbEndpoint = inject('dynamodbEndpoint')
const tableName = `end-to-end-${randomUUID()}`
let service: LocalService
beforeAll(async () => {
  service = await startLocalService({ port: 0, parameters: { tableName }, dynamodbEndpoint, log: () => {} })
})
afterAll(async () => {
  await service.stop()
  await dropTable(connectTo(dynamodbEndpoint), tableName)
})

interface Call {
  method?: string
  path?: string
  /** Alternating names and values. */
  headers?: string[]
}

async function call({ method = 'GET', path = '/api/v2/saml', headers = [] }: Call = {}) {
  const lines = ['Host', 'localhost', ...headers]
  const sent = request(service.url, { method, path, headers: lines, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = { status: response.statusCode, headers: response.headers, body: await buffer(response) }
  assertDocumented(method, path, answer)
  return answer
}

const bearer = async () => ['Authorization', `Bearer ${await service.tokenFor()}`]
const json = ({ body }: { body: Buffer }) => JSON.parse(body.toString())
const listed = async () => json(await call({ headers: await bearer() })).data.saml_providers

const page = readFileSync(join(projectRoot, 'infra/clients.md'), 'utf8')

/** Sends the request of this method that infra/clients.md shows; in its answer there, `…` stands for any text. */
async function isAnsweredAsShown(method: string) {
  const example = new RegExp(`^${method} (.+)\n((?:[{"].+\n)+)`, 'm')
  const [, path = '', body = ''] = example.exec(page) ?? []
  const parts = body
    .replaceAll('\n', '')
    .split('…')
    .map(part => part.replace(/[[\]{}.]/g, '\\$&'))
  const answer = await call({ method, path, headers: await bearer() })
  expect(String(answer.body)).toMatch(new RegExp(`^${parts.join('.+')}$`))
}

describe('an existing client', () => {
  test('gets the list that infra/clients.md shows', () => isAnsweredAsShown('GET'))

  mainJob(() => ({ ...endpointUrls(service.url), tokenFor: service.tokenFor, coding: 'br' }))

  test('gets the users that infra/clients.md shows', () => isAnsweredAsShown('DELETE'))

  test('gets nothing that it did not ask for', async () => {
    const asked = ['Origin', 'https://other.example', 'Accept-Encoding', 'deflate']
    const { headers } = await call({ headers: [...(await bearer()), ...asked] })
    expect(headers).toMatchObject({ 'content-type': 'application/json', vary: 'Prefer, Accept-Encoding' })
    expect([headers['content-encoding'], headers['access-control-allow-origin']]).toEqual([
      undefined,
      undefined,
    ])
  })
})

describe('a failure changes nothing:', () => {
  const provider = '/api/v2/saml/providers/2'

  const encoded = ['%34', '1%2F2', '%zz', '%ff', '%D9%A3']
  test.each([...encoded, '__proto__'])('the id %s', async id => {
    const before = await listed()
    const path = `/api/v2/saml/providers/${id}`
    const answer = await call({ method: 'DELETE', path, headers: await bearer() })
    expect([answer.status, json(answer).code]).toEqual([404, 'provider_not_found'])
    expect(await listed()).toEqual(before)
  })

  test.each([
    ...['GET /api/v2/saml/', 'GET //api/v2/saml', 'GET /API/v2/saml', 'GET /api/v2/sam%6c'],
    ...['DELETE /api/v2/saml', `PUT ${provider}`, `DELETE ${provider}/users`],
  ])('%s, which is no route', async request => {
    const [method = '', path = ''] = request.split(' ')
    const answer = await call({ method, path, headers: await bearer() })
    expect([answer.status, json(answer).code]).toEqual([404, 'route_not_found'])
    expect(answer.headers).not.toHaveProperty('deprecation') // only the two endpoints are deprecated
  })
})
