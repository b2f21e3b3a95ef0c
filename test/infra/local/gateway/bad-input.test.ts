import { describe, expect, test } from 'vitest'
import { expectProblem, gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, send, sendRaw } = gatewayWithFakeFunctions()
const list = 'GET /api/v2/saml HTTP/1.1\r\n'

describe('a malformed HTTP/1.1 request gets a problem with status 400', () => {
  test.each([
    ['not HTTP', 'hello\r\n\r\n'],
    ['a header line without a colon', `${list}Host: a\r\nno colon\r\n\r\n`],
    ['a space before the colon', `${list}Host : a\r\n\r\n`],
    ['a control character in a value', `${list}Host: a\r\nX: a\x01b\r\n\r\n`],
    ['a space in the target', 'GET /api/v2/saml x HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an unknown version of HTTP', 'GET /api/v2/saml HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['two Content-Lengths', `${list}Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx`],
    [
      'Content-Length and Transfer-Encoding',
      `${list}Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['no Host', `${list}\r\n`],
    ['two Hosts', `${list}Host: a\r\nHost: b\r\n\r\n`],
  ])('%s', async (_, text) => {
    const response = await sendRaw(text.replace('\r\n', '\r\nConnection: close\r\n'))
    const [head = '', body = ''] = response.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
    const problem = JSON.parse(body)
    expect(problem).toMatchObject({ type: 'about:blank', status: 400, code: 'request_malformed' })
    for (const line of ['Content-Type: application/problem+json', 'Cache-Control: no-store'])
      expect(head).toContain(line)
    expect(head).toContain(`X-Request-Id: ${problem.request_id}`)
    expect(fake.events).toEqual([])
  })
})

describe('a raw # in the target', () => {
  test('is part of the id', async () => {
    await sendRaw('DELETE /api/v2/saml/providers/1#x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(fake.events).toMatchObject([{ pathParameters: { saml_provider_id: '1#x' } }])
  })

  test('is part of a fixed segment, which then does not match the route', async () => {
    const response = await sendRaw('GET /api/v2/saml#x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(response).toMatch(/^HTTP\/1.1 404 [\s\S]*"code":"route_not_found"/)
  })
})

test('an answer before the end of the request closes the connection', async () => {
  const response = await sendRaw('POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx')
  expect(response).toMatch(/^HTTP\/1.1 404 [\s\S]*Connection: close\r\n/)
})

describe('the quotas of API Gateway are enforced', () => {
  const connection = ['Connection', 'keep-alive']
  const ownBytes = 'Host: api.example.com\r\nConnection: keep-alive\r\nX: \r\n'.length
  const body = 10 * 1024 * 1024

  test.each([
    [10_240, 200],
    [10_241, 413],
  ])('header lines of %i bytes → %i', async (bytes, status) => {
    const received = await send('GET', '/api/v2/saml', [...connection, 'X', 'x'.repeat(bytes - ownBytes)])
    expect(received.status).toBe(status)
    if (status === 413) expectProblem(received, 'request_too_large', 413)
  })

  test("header lines over the limit of Node's server → 413", async () => {
    const received = await sendRaw(`${list}Host: a\r\nX: ${'x'.repeat(140_000)}\r\n\r\n`)
    expect(received).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":"request_too_large"/)
  })

  test.each([
    [body, 200],
    [body + 1, 413],
  ])('a body of %i bytes → %i', async (bytes, status) => {
    const length = ['Content-Length', `${bytes}`]
    const received = await send('DELETE', '/api/v2/saml/providers/1', length, 'x'.repeat(bytes))
    expect(received.status).toBe(status)
  })
})
