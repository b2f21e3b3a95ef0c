import { describe, expect, test } from 'vitest'
import { gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, sendRaw } = gatewayWithFakeFunctions()
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
