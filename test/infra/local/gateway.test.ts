import { describe, expect, test } from 'vitest'
import { problemKinds } from '../../../lib/http/problem.ts'
import { expectProblem, gatewayBeforeFakeFunctions } from './fake-functions.ts'

const { fake, ask, askRaw } = gatewayBeforeFakeFunctions()
const provider = '/api/v2/saml/providers'

describe('a request that names no route is answered route_not_found and reaches no function', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/api/v2/saml/'],
    ['GET', '//api/v2/saml'],
    ['GET', '/API/v2/saml'],
    ['GET', '/api/v2/sam%6c'],
    ['GET', `${provider}/1`],
    ['POST', '/api/v2/saml'],
    ['HEAD', '/api/v2/saml'],
    ['OPTIONS', '*'],
    ['DELETE', '/api/v2/saml'],
    ['DELETE', provider],
    ['DELETE', `${provider}/`],
    ['DELETE', `${provider}/1/`],
    ['DELETE', `${provider}/1/users`],
  ])('%s %s', async (method, path) => {
    const got = await ask(method, path)
    if (method === 'HEAD') expect(got).toMatchObject({ status: 404, text: '' })
    else expectProblem(got, 'route_not_found', 404)
    expect(fake.received).toEqual([])
  })
})

describe('a segment in the place of an id reaches the function', () => {
  test.each([
    ['1', '1'],
    ['-1', '-1'],
    ['a%2Fb', 'a%2Fb'],
    ['%00', '%00'],
    ['%zz', '%25zz'],
    ['%ff', '%25ff'],
    ['..', '%252e%252e'],
    ['%2e%2E', '%252e%252E'],
  ])('%s as %s', async (id, asSeen) => {
    await ask('DELETE', `${provider}/${id}?x=%zz`)
    expect(fake.received.map(({ url }) => url)).toEqual([`${provider}/${asSeen}?x=%zz`])
  })

  test('however long it is', async () => {
    const digits = '9'.repeat(10_000)
    await ask('DELETE', `${provider}/${digits}`)
    expect(fake.received[0]?.url).toBe(`${provider}/${digits}`)
  })

  test('also when the target is a whole URL', async () => {
    expect(
      await askRaw(`GET http://a.example/api/v2/saml HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    ).toContain(' 200 ')
    expect(fake.received[0]?.url).toBe('/api/v2/saml')
  })
})

describe('what passes through', () => {
  test('keeps header lines as they came, two of one name as two', async () => {
    const lines = [
      'Authorization',
      'Bearer a',
      'authorization',
      'Bearer b',
      'Prefer',
      'wait=1',
      'Prefer',
      'wait=2',
    ]
    await ask('GET', '/api/v2/saml', lines)
    const raw = fake.received[0]?.rawHeaders ?? []
    expect(raw.slice(0, 10)).toEqual(['Host', 'api.example.com', ...lines])
  })

  test("keeps the function's status, body and header lines, and adds no CORS header", async () => {
    fake.answer = {
      status: 409,
      headers: ['X-Request-Id', 'r1', 'Link', '<a>', 'Link', '<b>', 'Access-Control-Allow-Origin', '*'],
      body: 'anything',
    }
    const got = await ask('GET', '/api/v2/saml')
    expect(got).toMatchObject({ status: 409, text: 'anything' })
    expect(got.raw.slice(0, 6)).toEqual(['X-Request-Id', 'r1', 'Link', '<a>', 'Link', '<b>'])
    expect(got.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('an answer that no function gave is replaced', () => {
  test.each([
    [400, 'route_not_found', 404],
    [404, 'route_not_found', 404],
    [502, 'internal_error', 500],
    [504, 'internal_error', 500],
  ])('%i → %s', async (status, code, shown) => {
    fake.answer = { status, headers: ['Content-Type', 'application/json'], body: '{"stackTrace":["secret"]}' }
    const got = await ask('GET', '/api/v2/saml')
    expectProblem(got, code, shown)
    expect(got.text).not.toContain('secret')
  })

  test.each(['route_not_found', 'internal_error'] as const)('%s says what the functions say', async code => {
    fake.answer = { status: code === 'internal_error' ? 502 : 404, headers: [], body: '' }
    const { status, title, detail } = problemKinds[code]
    expect(JSON.parse((await ask('GET', '/api/v2/saml')).text)).toMatchObject({ status, title, detail })
  })
})
