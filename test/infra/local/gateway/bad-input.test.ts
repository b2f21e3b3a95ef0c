import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, port, send, sendRaw } = gatewayWithFakeFunctions()
const list = 'GET /api/v2/saml HTTP/1.1\r\n'

describe('a malformed HTTP/1.1 request gets a problem with status 400', () => {
  test.each([
    ['not HTTP', 'hello\r\n\r\n'],
    ['a header line without a colon', `${list}Host: a\r\nno colon\r\n\r\n`],
    ['a space before the colon', `${list}Host : a\r\n\r\n`],
    ['a control character in a value', `${list}Host: a\r\nX: a\x01b\r\n\r\n`],
    ['a space in the target', 'GET /api/v2/saml x HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two blanks before the target', 'GET  /api/v2/saml HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two blanks after the target', 'DELETE /api/v2/saml/providers/1  HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no version of HTTP', 'GET /api/v2/saml\r\nHost: a\r\n\r\n'],
    ['another version of HTTP', 'GET /api/v2/saml HTTP/2.0\r\nHost: a\r\n\r\n'],
    ['an unknown version of HTTP', 'GET /api/v2/saml HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['two Content-Lengths', `${list}Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx`],
    [
      'Content-Length and Transfer-Encoding',
      `${list}Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['no Host', `${list}\r\n`],
    ['two Hosts', `${list}Host: a\r\nHost: b\r\n\r\n`],
    ['an unknown expectation', `${list}Host: a\r\nExpect: unknown\r\n\r\n`],
    ['a CONNECT', 'CONNECT api.example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
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

test('Expect: 100-continue is answered with 100 Continue', async () => {
  const response = await sendRaw(
    `${list}Host: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`,
  )
  expect(response).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/)
  expect(fake.events).toMatchObject([{ body: 'eA==' }])
})

test('a client that has closed its half of the connection gets its answer', async () => {
  const { answer } = fake
  fake.answer = async () => {
    await send('GET', '/') // until the end of the request is received, too
    return answer()
  }
  const socket = connect(port(), '127.0.0.1').end(`${list}Host: a\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n/)
})

describe('several requests of one connection are served', () => {
  const body = 'GET /api/v2/saml HTTP/1.1'.repeat(20_000)
  const large = `${list}Host: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const last = `${list}Connection: close\r\nHost: a\r\n\r\n`

  test.each([
    ['at once', [large + large + last]],
    ['in pieces', [...`${list}Host: a\r\n\r\n`, large, 'GET /api/v2/s', last.slice(13)]],
  ])('%s', async (_, pieces) => {
    const socket = connect({ port: port(), host: '127.0.0.1', noDelay: true })
    for (const piece of pieces) await new Promise(sent => socket.write(piece, sent))
    expect((await text(socket)).match(/HTTP\/1.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 200'))
    expect(fake.events).toHaveLength(3)
  })

  test('until one is malformed', async () => {
    const received = await sendRaw(`${list}Host: a\r\n\r\n${last.replace(' ', '  ')}`)
    expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(fake.events).toHaveLength(1)
  })
})

test('a connection that is reset within a body invokes no function, and the next request succeeds', async () => {
  const socket = connect(port(), '127.0.0.1')
  socket.write(`${list}Host: a\r\nContent-Length: 10\r\n\r\nx`)
  await once(socket, 'ready')
  socket.resetAndDestroy()
  await once(socket, 'close')
  expect(await send('GET', '/api/v2/saml')).toMatchObject({ status: 200 })
  expect(fake.events).toHaveLength(1)
  expect(fake.reports).toEqual([])
})
