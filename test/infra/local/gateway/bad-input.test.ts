import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, port, send, sendRaw } = gatewayWithFakeFunctions()
const list = 'GET /api/v2/saml HTTP/1.1\r\n'

test.each([
  ['not HTTP', 'hello\r\n\r\n', 400],
  ['without Host', `${list}\r\n`, 400],
  ['with too long headers', `${list}Host: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('a request %s is answered by HTTP itself and invokes no function', async (_, text, status) => {
  expect(await sendRaw(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
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

describe('a body', () => {
  const remove = 'DELETE /api/v2/saml/providers/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
  const tenMb = 'x'.repeat(10 * 1024 * 1024)

  test('of 10 MB is in the event', async () => {
    expect(await sendRaw(`${remove}Content-Length: ${tenMb.length}\r\n\r\n${tenMb}`)).toContain(' 200 ')
    expect(atob(String(fake.events[0]?.body))).toBe(tenMb)
  })

  test('of one byte more is answered request_too_large before it is read to its end', async () => {
    const response = await sendRaw(`${remove}Content-Length: ${2 * tenMb.length}\r\n\r\n${tenMb}x`)
    expect(response).toMatch(/^HTTP\/1.1 413 [\s\S]*Connection: close\r\n[\s\S]*"code":"request_too_large"/)
    expect(fake.events).toEqual([])
  })
})

test('an answer before the end of the request closes the connection', async () => {
  const response = await sendRaw('POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx')
  expect(response).toMatch(/^HTTP\/1.1 404 [\s\S]*Connection: close\r\n/)
})

test('a connection that is reset within a request ends nothing', async () => {
  const socket = connect(port(), '127.0.0.1')
  socket.write('DELETE /api/v2/saml/providers/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{')
  await once(socket, 'ready')
  socket.resetAndDestroy()
  expect((await send('GET', '/api/v2/saml')).status).toBe(200)
})
