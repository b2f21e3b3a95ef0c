import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { problemKinds } from '../../../../lib/http/problem.ts'
import { expectProblem, gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, ask, askRaw } = gatewayWithFakeFunctions()
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
    expect(fake.events).toEqual([])
  })
})

describe('a segment in the place of an id reaches the function as it came', () => {
  const digits = '9'.repeat(10_000)
  test.each(['1', '-1', 'a%2Fb', '%31', '%00', '%zz', '%ff', '%', '..', '%2e%2E', '{id}', digits])(
    '%.20s',
    async id => {
      await ask('DELETE', `${provider}/${id}?x=%zz`)
      expect(fake.events).toMatchObject([
        {
          path: `${provider}/${id}`,
          resource: `${provider}/{saml_provider_id}`,
          pathParameters: { saml_provider_id: id },
        },
      ])
    },
  )

  test('also when the target is a whole URL', async () => {
    const answered = await askRaw(
      `GET http://a.example/api/v2/saml HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    )
    expect(answered).toContain(' 200 ')
    expect(fake.events).toMatchObject([{ path: '/api/v2/saml', pathParameters: null }])
  })
})

test('the event has the request id of the answer that the gateway gives in the place of the function', async () => {
  fake.answer = () => Promise.reject(new Error('Task timed out after 29.00 seconds\nand more'))
  const got = await ask('GET', '/api/v2/saml')
  expectProblem(got, 'internal_error', 500)
  expect(fake.events[0]?.requestContext.requestId).toBe(got.headers['x-request-id'])
  expect(fake.reports).toEqual(['GET /api/v2/saml: Task timed out after 29.00 seconds'])
})

describe("the function's answer", () => {
  test('leaves with its status, body and header lines, and no other than those of HTTP', async () => {
    fake.returns({
      statusCode: 409,
      headers: { 'X-Request-Id': 'r1', Link: '<a>' },
      multiValueHeaders: { Link: ['<b>', '<c>'] },
      body: 'anything',
    })
    const got = await ask('GET', '/api/v2/saml')
    expect(got).toMatchObject({ status: 409, text: 'anything' })
    expect(got.raw.slice(0, 8)).toEqual(['X-Request-Id', 'r1', 'Link', '<a>', 'Link', '<b>', 'Link', '<c>'])
    expect(Object.keys(got.headers).sort()).toEqual(
      ['connection', 'content-length', 'date', 'keep-alive', 'link', 'x-request-id'].sort(),
    )
  })

  test('that is base64 leaves as the bytes', async () => {
    fake.returns({
      statusCode: 200,
      body: Buffer.from([0, 255, 1]).toString('base64'),
      isBase64Encoded: true,
    })
    expect((await ask('GET', '/api/v2/saml')).bytes).toEqual(Buffer.from([0, 255, 1]))
  })

  test('that is malformed, or cannot be sent, is replaced by internal_error, and reported', async () => {
    for (const value of [null, { statusCode: 200, headers: { 'X-Bad': 'a\nb' } }]) {
      fake.returns(value)
      expectProblem(await ask('GET', '/api/v2/saml'), 'internal_error', 500)
    }
    expect(fake.reports[0]).toMatch(/^GET \/api\/v2\/saml: Malformed Lambda proxy response: /)
    expect(fake.reports).toHaveLength(2)
  })

  test.each(['route_not_found', 'internal_error'] as const)('%s says what the functions say', async code => {
    fake.returns('malformed')
    const { status, title, detail } = problemKinds[code]
    const path = code === 'internal_error' ? '/api/v2/saml' : '/nowhere'
    expect(JSON.parse((await ask('GET', path)).text)).toMatchObject({ status, title, detail })
  })
})

describe('a streamed answer', () => {
  const streams = (metadata: unknown, ...chunks: (string | Error)[]) => {
    const stream = Readable.from(
      (function* () {
        for (const chunk of chunks) {
          if (chunk instanceof Error) throw chunk
          yield chunk
        }
      })(),
    )
    fake.answer = async () => ({ json: JSON.stringify(metadata), stream })
    return stream
  }

  test('leaves with the status and headers of its metadata', async () => {
    streams({ statusCode: 201, headers: { 'X-A': 'b' }, cookies: ['c=1', 'd=2'] }, 'one', 'two')
    expect(await ask('GET', '/streamed')).toMatchObject({
      status: 201,
      headers: { 'x-a': 'b', 'set-cookie': ['c=1', 'd=2'], 'transfer-encoding': 'chunked' },
      text: 'onetwo',
    })
  })

  test('that breaks off cuts the connection', async () => {
    streams({ statusCode: 200 }, '{"data":', new Error('the function failed'))
    await expect(ask('GET', '/streamed')).rejects.toThrow('aborted')
  })

  test('whose metadata is malformed is replaced by internal_error, and read no further', async () => {
    const stream = streams({ statusCode: 'two hundred' }, 'one')
    expectProblem(await ask('GET', '/streamed'), 'internal_error', 500)
    expect(stream.destroyed).toBe(true)
  })

  test('on a route that does not stream is replaced by internal_error, as is the reverse', async () => {
    const stream = streams({ statusCode: 200 }, 'one')
    expectProblem(await ask('GET', '/api/v2/saml'), 'internal_error', 500)
    expect(stream.destroyed).toBe(true)
    fake.returns({ statusCode: 200, body: '' })
    expectProblem(await ask('GET', '/streamed'), 'internal_error', 500)
  })
})
