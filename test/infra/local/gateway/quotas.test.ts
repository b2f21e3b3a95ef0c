import { describe, expect, test } from 'vitest'
import { expectProblem, gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { send, sendRaw } = gatewayWithFakeFunctions()
const provider = '/api/v2/saml/providers'

describe('the quotas of API Gateway are enforced', () => {
  const hostLineBytes = 'Host: api.example.com\r\n'.length + 'Connection: keep-alive\r\n'.length
  const lineOf = (bytes: number) => ['X', 'x'.repeat(bytes - 'X: \r\n'.length)]

  test.each([
    [10_240, 200],
    [10_241, 413],
    [100_000, 413],
  ])('header lines of %i bytes → %i', async (bytes, status) => {
    const received = await send('GET', '/api/v2/saml', [
      'Connection',
      'keep-alive',
      ...lineOf(bytes - hostLineBytes),
    ])
    expect(received.status).toBe(status)
    if (status === 413) expectProblem(received, 'request_too_large', 413)
  })

  test("header lines over the limit of Node's server → 413", async () => {
    const received = await sendRaw(
      `GET /api/v2/saml HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(140_000)}\r\n\r\n`,
    )
    expect(received).toMatch(/^HTTP\/1.1 413 [\s\S]*"code":"request_too_large"/)
  })

  test.each([
    [10 * 1024 * 1024, 200],
    [10 * 1024 * 1024 + 1, 413],
  ])('a body of %i bytes → %i', async (bytes, status) => {
    expect(
      await send('DELETE', `${provider}/1`, ['Content-Length', `${bytes}`], 'x'.repeat(bytes)),
    ).toMatchObject({
      status,
    })
  })
})
