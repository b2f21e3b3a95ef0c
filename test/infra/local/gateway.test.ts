import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FunctionAnswer } from '../../../infra/local/functions/runtime.ts'
import type { Asked } from '../../../infra/local/gateway/asked.ts'
import { type Gateway, startGateway } from '../../../infra/local/gateway/gateway.ts'
import { routes } from '../../../infra/serverless/service-definition.ts'
import { assertDocumented } from '../../openapi/validate.ts'

// What test/end-to-end does not see behind the built functions: here the test answers in their place.

const path = '/api/v2/saml'
const deprecation = { Deprecation: '@1', Link: '</x>; rel="successor-version"' }
const ok = { statusCode: 200, headers: {} }

let gateway: Gateway
let answer: () => unknown
let events: APIGatewayProxyEvent[]
let lines: string[]
let asked: Asked[]

beforeAll(async () => {
  const invoke = async (_: unknown, event: APIGatewayProxyEvent) => {
    events.push(event)
    return answer() as FunctionAnswer
  }
  const log = (line: string) => void lines.push(line)
  const pages = async (page: Asked) => {
    asked.push(page)
    if (page.target === '/failing') throw new Error('the table is gone')
    return undefined
  }
  gateway = await startGateway({ port: 0, routes, deprecation, ready: async () => invoke, pages, log })
})
afterAll(() => gateway.stop())
beforeEach(() => {
  answer = () => ({ ...ok, body: '' })
  events = []
  lines = []
  asked = []
})

const get = () => fetch(gateway.url + path)

/** The function answers with this stream from now on. */
function streamed() {
  const body = new PassThrough().on('error', () => {})
  answer = () => ({ ...ok, body })
  return body
}

/** Sends lines of a request. @returns its connection */
function sendLines(...request: string[]) {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  socket.write([...request, 'Host: a', '', ''].join('\r\n'))
  return socket
}

/** The line of the request, which is logged when the connection has taken the answer. */
async function requestLine(): Promise<string> {
  for (;;) {
    const line = lines.find(text => /^[A-Z]/.test(text))
    if (line !== undefined) return line.replace(/\d+ ms/, 'ms')
    await setImmediate()
  }
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html (input format) */
test('an event of the local gateway has path and headers as they were sent', async () => {
  const prefer = ['Prefer: 1', 'prefer: 2', 'Prefer: 3']
  const ofConnection = ['Connection: close', 'Expect: 100-continue']
  sendLines(`DELETE ${path}/providers/a%2Fb?c=%2F HTTP/1.1`, ...prefer, ...ofConnection)
  await requestLine()
  expect(events).toMatchObject([
    {
      resource: `${path}/providers/{saml_provider_id}`,
      path: `${path}/providers/a%2Fb`,
      pathParameters: { saml_provider_id: 'a%2Fb' },
      queryStringParameters: { c: '/' },
      multiValueHeaders: { Prefer: ['1', '3'], prefer: ['2'], Host: ['a'] },
      requestContext: { requestTimeEpoch: expect.any(Number) },
    },
  ])
  expect(events[0]?.headers).toEqual({ Prefer: '3', prefer: '2', Host: 'a' })
})

/** @see RFC 9112 §3.2.2 */
test('a target in absolute form names the host of its request', async () => {
  for (const [given, target, host] of [
    [`http://127.0.0.1${path}?a=b`, `${path}?a=b`, '127.0.0.1'],
    ['HTTPS://any.example:1', '/', 'any.example:1'],
  ]) {
    await once(sendLines(`GET ${given} HTTP/1.1`), 'data')
    expect(asked.at(-1)).toEqual({ method: 'GET', target, host })
  }
  expect(events.map(event => event.path)).toEqual([path])
})

test('a local page that fails is answered with the reason', async () => {
  const failed = await fetch(`${gateway.url}/failing`)
  expect([failed.status, await failed.text()]).toEqual([500, 'the table is gone'])
})

test('the line of a request has the subject of its token if it can be printed', async () => {
  const token = (sub: string) => `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.e30`
  for (const sub of ['machine-1', 'a\u001b[2J']) {
    await fetch(gateway.url + path, { headers: { authorization: `Bearer ${token(sub)}` } })
    const shown = sub === 'machine-1' ? ' machine-1' : ''
    expect(await requestLine()).toBe(`GET    ${path} 200 ms${shown}`)
    lines = []
  }
})

test('an answer that a function buffers is sent as it is', async () => {
  const bytes = Buffer.from([0, 255, 1])
  const encoded = { body: bytes.toString('base64'), isBase64Encoded: true }
  answer = () => ({ statusCode: 409, headers: { link: '<a>' }, ...encoded })
  const buffered = await get()
  expect([buffered.status, buffered.headers.get('link')]).toEqual([409, '<a>'])
  expect(Buffer.from(await buffered.arrayBuffer())).toEqual(bytes)
})

test.each<[what: string, () => unknown]>([
  ['an error', () => Promise.reject(new Error('it ended\nand more'))],
  ['no answer', () => null],
  ['a status that is a text', () => ({ ...ok, statusCode: 'OK', body: new PassThrough() })],
  ['a header of two lines', () => ({ ...ok, headers: { X: 'a\nb' }, body: '' })],
])("%s of a function is internal_error with the event's id", async (_, malformed) => {
  answer = malformed
  const response = await get()
  const [headers, body] = [Object.fromEntries(response.headers), await response.text()]
  assertDocumented('GET', path, { status: response.status, headers, body })
  const request_id = events[0]?.requestContext.requestId
  expect(JSON.parse(body)).toMatchObject({ code: 'internal_error', request_id })
  expect(await requestLine()).toBe(`GET    ${path} 500 ms internal_error`)
  expect(lines[0]).toMatch(/^failed {5}GET \/api\/v2\/saml: .+$/)
})

test.each(['before it is sent', 'while it is sent'])(
  'a stream that fails %s cuts the connection',
  async when => {
    const body = streamed()
    body.write('{"data":')
    const fail = () => body.destroy(new Error('the function failed'))
    if (when === 'before it is sent') fail()
    else body.once('resume', fail)
    await expect(get().then(response => response.text())).rejects.toThrow(/fetch failed|terminated/)
    expect(await requestLine()).toBe(`GET    ${path} 200 cut ms`)
  },
)

test('the line of a request says that its client has left', async () => {
  const { promise: invoked, resolve } = Promise.withResolvers<void>()
  answer = () => {
    resolve()
    return new Promise(() => {})
  }
  const client = sendLines(`GET ${path} HTTP/1.1`)
  await invoked
  client.destroy()
  expect(await requestLine()).toBe(`GET    ${path} cut ms`)
})

test('a stream whose client has left is read to its end', async () => {
  const body = streamed()
  const client = sendLines(`GET ${path} HTTP/1.1`)
  body.write('first')
  await once(client, 'data')
  client.destroy()
  for (let n = 0; n < 100; n++) if (!body.write(Buffer.alloc(65_536))) await once(body, 'drain')
  body.end()
  await once(body, 'end')
  expect(await requestLine()).toBe(`GET    ${path} 200 cut ms`)
})
