import { describe, expect, test } from 'vitest'
import { expectProblem, gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, send, sendRaw } = gatewayWithFakeFunctions()
const list = 'GET /api/v2/saml HTTP/1.1\r\n'

test.each([
  ['not HTTP', 'hello\r\n\r\n'],
  ['without Host', `${list}\r\n`],
])('a request that is %s is answered 400 and invokes no function', async (_, text) => {
  expect(await sendRaw(text)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(fake.events).toEqual([])
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

  test.each([
    [body, 200],
    [body + 1, 413],
  ])('a body of %i bytes → %i', async (bytes, status) => {
    const length = ['Content-Length', `${bytes}`]
    const received = await send('DELETE', '/api/v2/saml/providers/1', length, 'x'.repeat(bytes))
    expect(received.status).toBe(status)
  })
})
