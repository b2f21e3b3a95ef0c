import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { expectProblem, gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, port, send, sendRaw } = gatewayWithFakeFunctions()
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
    ['POST', '/api/v2/saml'],
    ['HEAD', '/api/v2/saml'],
    ['OPTIONS', '*'],
    ['DELETE', '/api/v2/saml'],
    ['DELETE', provider],
    ['DELETE', `${provider}/`],
    ['DELETE', `${provider}/1/`],
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
  test.each(['1', '-1', 'a%2Fb', '%31', '%00', '%zz', '%ff', '%', '..', '%2e%2E', '{id}', digits])(
    '%.20s',
    async id => {
      await send('DELETE', `${provider}/${id}?x=%zz`)
      expect(fake.events).toMatchObject([
        {
          path: `${provider}/${id}`,
          resource: `${provider}/{saml_provider_id}`,
          pathParameters: { saml_provider_id: id },
        },
      ])
    },
  )

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

describe('a streamed answer', () => {
  const path = '/api/v2/saml'
  const streams = (head: object) => {
    const body = new PassThrough()
    fake.returns({ ...head, body })
    return body
  }

  test('is sent while it is written', async () => {
    const body = streams({ statusCode: 201, headers: { 'X-A': 'b' } })
    body.write('one')
    const answered = send('GET', path)
    body.end('two')
    expect(await answered).toMatchObject({
      status: 201,
      headers: { 'x-a': 'b', 'transfer-encoding': 'chunked' },
      text: 'onetwo',
    })
  })

  test.each(['before it is sent', 'while it is sent'])('that fails %s cuts the connection', async when => {
    const body = streams(ok).on('error', () => {})
    body.write('{"data":')
    const fail = () => body.destroy(new Error('the function failed'))
    if (when === 'before it is sent') fail()
    else body.once('resume', fail)
    await expect(send('GET', path)).rejects.toThrow(/aborted|hang up/)
    expect(await fake.requestLine()).toMatch(/^GET {8}\/api\/v2\/saml 200 cut \d+ ms$/)
  })

  test('with a malformed status is replaced by internal_error', async () => {
    streams({ statusCode: 'two hundred' })
    expectProblem(await send('GET', path), 'internal_error', 500)
  })

  test('is read to its end when the client leaves', async () => {
    const body = streams(ok)
    const client = connect(port(), '127.0.0.1')
    client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    body.write('first')
    await once(client, 'data')
    client.destroy()
    for (let n = 0; n < 100; n++) if (!body.write(Buffer.alloc(65_536))) await once(body, 'drain')
    body.end()
    await once(body, 'end')
  })
})
