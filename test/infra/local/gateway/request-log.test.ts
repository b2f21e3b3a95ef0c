import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { apart } from '../../../../infra/local/functions/apart.ts'
import { gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, port, send } = gatewayWithFakeFunctions()
const ok = { statusCode: 200, headers: {}, body: '' }

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

  test('of a streamed problem', async () => {
    fake.returns({ ...problem, body: Readable.from([body]) })
    await send('GET', '/api/v2/saml')
    expect(await fake.requestLine()).toMatch(/^GET {8}\/api\/v2\/saml 404 provider_not_found \d+ ms$/)
  })

  test('without a status when the client leaves before the answer', async () => {
    const { promise: invoked, resolve } = Promise.withResolvers<void>()
    fake.answer = () => {
      resolve()
      return new Promise(() => {})
    }
    const client = connect(port(), '127.0.0.1')
    client.write('GET /api/v2/saml HTTP/1.1\r\nHost: a\r\n\r\n')
    await invoked
    client.destroy()
    expect(await fake.requestLine()).toMatch(/^GET {8}\/api\/v2\/saml cut \d+ ms$/)
  })

  test('that is not in the log of the function, though the function ends the answer', async () => {
    const printed: unknown[] = []
    const stream = new PassThrough()
    fake.returns({ ...ok, body: stream })
    stream.write('one')
    const functions = apart(text => printed.push(text))
    stream.once('resume', () =>
      functions.run(() => {
        process.stdout.write("the function's own")
        stream.end('two')
      }),
    )
    await send('GET', '/api/v2/saml')
    await fake.requestLine()
    expect(printed).toEqual(["the function's own"])
  })
})
