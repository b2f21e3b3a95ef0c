import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { apart } from '../../../../infra/local/functions/apart.ts'
import { gatewayWithFakeFunctions } from './gateway-with-fake-functions.ts'

const { fake, port, send, sendRaw } = gatewayWithFakeFunctions()
const ok = { statusCode: 200, headers: {}, body: '' }

test('a request that is not HTTP is answered by HTTP itself and invokes no function', async () => {
  expect(await sendRaw('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
  expect(fake.events).toEqual([])
})

test('a raw # in the target is a character like any other', async () => {
  await sendRaw('DELETE /api/v2/saml/providers/1#x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  expect(fake.events).toMatchObject([{ pathParameters: { saml_provider_id: '1#x' } }])
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

describe('the line of a request', () => {
  test('has the code of a streamed problem', async () => {
    const headers = { 'Content-Type': 'application/problem+json' }
    const body = Readable.from(['{"code":"provider_not_found"}'])
    fake.returns({ statusCode: 404, headers, body })
    await send('GET', '/api/v2/saml')
    expect(await fake.requestLine()).toMatch(/^GET {8}\/api\/v2\/saml 404 provider_not_found \d+ ms$/)
  })

  test('has no status when the client leaves before the answer', async () => {
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

  test('is not in the log of the function, though the function ends the answer', async () => {
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
