import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectTo } from '../../infra/dynamodb/client.ts'
import { linkedAdministratorId } from '../../infra/sample-data/sample-data.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { type LocalStack, startLocalStack } from '../../infra/local/stack.ts'
import { dropTable } from '../../infra/resources/table.ts'
import { assertDocumented } from '../openapi/validate.ts'

// The built bundles behind the local gateway, called over HTTP as by an existing client.

const dynamodbEndpoint = inject('dynamodbEndpoint')
const tableName = `end-to-end-${randomUUID()}`
let stack: LocalStack
beforeAll(async () => {
  stack = await startLocalStack({ port: 0, parameters: { tableName }, dynamodbEndpoint, log: () => {} })
})
afterAll(async () => {
  await stack.stop()
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
  const sent = request(stack.url, { method, path, headers: lines, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = { status: response.statusCode, headers: response.headers, body: await buffer(response) }
  assertDocumented(method, path, answer)
  return answer
}

const bearer = async (options = {}) => ['Authorization', `Bearer ${await stack.tokenFor(options)}`]
const remove = async (id: string | number, ...more: string[]) =>
  call({ method: 'DELETE', path: `/api/v2/saml/providers/${id}`, headers: [...(await bearer()), ...more] })
const json = ({ body }: { body: Buffer }) => JSON.parse(body.toString())
const listed = async () => json(await call({ headers: await bearer() })).data.saml_providers

/** The requests that infra/clients.md shows, and patterns of their answers, in which `…` stands for any text. */
const shown = () => {
  const [, examples = ''] =
    /```http\n(GET [^`]+)```/.exec(readFileSync(join(projectRoot, 'infra/clients.md'), 'utf8')) ?? []
  return examples.split('\n\n').map(example => {
    const [line = '', ...body] = example.trim().split('\n')
    const [method = '', path = ''] = line.split(' ')
    const parts = body
      .join('')
      .split('…')
      .map(part => part.replace(/[[\]{}.]/g, '\\$&'))
    return { method, path, body: new RegExp(`^${parts.join('.+')}$`) }
  })
}

describe('an existing client', () => {
  test('gets the same users when it repeats a removal', async () => {
    expect((await listed()).map(({ name }: { name: string }) => name)).toHaveLength(4)
    for (const { method, path, body } of shown())
      expect(String((await call({ method, path, headers: await bearer() })).body)).toMatch(body)
    const first = await remove(1)
    expect([first.status, first.headers['content-type']]).toEqual([200, 'application/json'])
    const ids = json(first).data.affected_user.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([...ids].sort())
    expect((await remove(1)).body).toEqual(first.body)
    expect(await listed()).toHaveLength(3)
    const coded = await remove(1, 'Accept-Encoding', 'gzip, br')
    expect(coded.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(coded.body)).toEqual(first.body)
  })

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
  const removal = { method: 'DELETE', path: provider }
  const by =
    (options: object, ...more: string[]) =>
    async () => [...(await bearer(options)), ...more]
  const ofTwoLines = ['Prefer', 'handling=lenient', 'prefer', 'Wait = "0"; x=y']

  // One of each kind; test/request has all of them.
  test.each<[string, Call, ReturnType<typeof by> | undefined, number, string]>([
    ['an expired token', {}, by({ expiresInSeconds: -1 }), 401, 'token_rejected'],
    ['two Authorizations', { headers: ['Authorization', 'Bearer a'] }, by({}), 401, 'token_rejected'],
    ['an own provider', removal, by({ sub: linkedAdministratorId }), 409, 'own_provider'],
    ['wait=0 in the second line', {}, by({}, ...ofTwoLines), 503, 'wait_expired'],
  ])('%s', async (_, asked, credentials, status, code) => {
    const before = await listed()
    const headers = [...(asked.headers ?? []), ...((await credentials?.()) ?? [])]
    const answer = await call({ ...asked, headers })
    expect([answer.status, json(answer).code]).toEqual([status, code])
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'x-request-id': json(answer).request_id,
      deprecation: expect.any(String),
      link: expect.stringContaining('rel="successor-version"'),
    })
    expect(await listed()).toEqual(before)
  })

  const encoded = ['%34', '1%2F2', '%zz', '%ff', '%D9%A3']
  test.each(['4711', '01', '2147483648', '9'.repeat(8000), ...encoded, '__proto__'])(
    'the id %s',
    async id => {
      const before = await listed()
      const answer = await remove(id)
      expect([answer.status, json(answer).code]).toEqual([404, 'provider_not_found'])
      expect(await listed()).toEqual(before)
    },
  )

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
