import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { expectProblem, gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, send, sendRaw } = gatewayWithFakeFunctions()
const provider = '/api/v2/saml/providers'
const ok = { statusCode: 200, headers: {}, body: '' }

describe('a request that matches no route is answered route_not_found and invokes no function', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/api/v2/saml/'],
    ['GET', '//api/v2/saml'],
    ['GET', '/API/v2/saml'],
    ['GET', '/api/v2/sam%6c'],
    ['PUT', `${provider}/1`],
    ['HEAD', '/api/v2/saml'],
    ['OPTIONS', '*'],
    ['DELETE', `${provider}/`],
    ['DELETE', `${provider}/1/users`],
  ])('%s %s', async (method, path) => {
    const received = await send(method, path)
    if (method === 'HEAD') expect(received).toMatchObject({ status: 404, text: '' })
    else expectProblem(received, 'route_not_found', 404)
    expect(fake.events).toEqual([])
  })
})

describe('the segment of the id is passed to the function unchanged', () => {
  const digits = '9'.repeat(10_000)
  test.each(['1', 'a%2Fb', '%zz', '..', '{id}', digits])('%.20s', async id => {
    await send('DELETE', `${provider}/${id}?x=%zz`)
    expect(fake.events).toMatchObject([
      {
        path: `${provider}/${id}`,
        resource: `${provider}/{saml_provider_id}`,
        pathParameters: { saml_provider_id: id },
      },
    ])
  })

  test('also when the target is an absolute URL', async () => {
    const received = await sendRaw(
      `GET http://a.example/api/v2/saml HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    )
    expect(received).toContain(' 200 ')
    expect(fake.events).toMatchObject([{ path: '/api/v2/saml', pathParameters: null }])
  })
})

test("an answer of the gateway itself has the event's request id", async () => {
  fake.answer = () => Promise.reject(new Error('Task timed out after 29.00 seconds\nand more'))
  const received = await send('GET', '/api/v2/saml')
  expectProblem(received, 'internal_error', 500)
  expect(fake.events[0]?.requestContext.requestId).toBe(received.headers['x-request-id'])
  expect(fake.lines[0]).toBe('failed     GET /api/v2/saml: Task timed out after 29.00 seconds')
})

describe("the function's answer", () => {
  test('is sent with its status, body and header lines, to which only those of HTTP are added', async () => {
    fake.returns({
      statusCode: 409,
      headers: { 'X-Request-Id': 'r1', Link: '<a>' },
      body: 'anything',
    })
    const received = await send('GET', '/api/v2/saml')
    expect(received).toMatchObject({ status: 409, text: 'anything' })
    expect(received.raw.slice(0, 4)).toEqual(['X-Request-Id', 'r1', 'Link', '<a>'])
    const ofHttp = ['connection', 'content-length', 'date', 'keep-alive']
    expect(Object.keys(received.headers).sort()).toEqual([...ofHttp, 'link', 'x-request-id'])
  })

  test('in base64 is sent as its bytes', async () => {
    const bytes = Buffer.from([0, 255, 1])
    fake.returns({ ...ok, body: bytes.toString('base64'), isBase64Encoded: true })
    expect((await send('GET', '/api/v2/saml')).bytes).toEqual(bytes)
  })

  test('that is malformed is replaced by internal_error and reported', async () => {
    const malformed = [
      null,
      { ...ok, statusCode: 'OK' },
      { ...ok, body: {} },
      { ...ok, statusCode: 'OK', body: new PassThrough() },
      { ...ok, headers: { X: 'a\nb' } },
    ]
    for (const value of malformed) {
      fake.returns(value)
      expectProblem(await send('GET', '/api/v2/saml'), 'internal_error', 500)
    }
    const faults = fake.lines.filter(line => line.startsWith('failed'))
    expect(faults).toHaveLength(malformed.length)
  })
})

describe('one line is logged for each request', () => {
  const problem = { statusCode: 404, headers: { 'Content-Type': 'application/problem+json' } }
  const body = '{"status":404,"code":"provider_not_found"}'

  test.each([
    ['an answer', '/api/v2/saml?token=x', { ...ok, body: '"code":"none"' }, '/api/v2/saml 200'],
    ['a problem', '/api/v2/saml', { ...problem, body }, '/api/v2/saml 404 provider_not_found'],
    ['the gateway itself', '/nowhere', {}, '/nowhere 404 route_not_found'],
    ['a fault', '/api/v2/saml', {}, '/api/v2/saml 500 internal_error'],
  ])('of %s', async (_, path, answer, words) => {
    fake.returns(answer)
    await send('GET', path)
    expect((await fake.requestLine()).replace(/\d+ ms$/, 'ms')).toBe(`GET        ${words} ms`)
  })
})
