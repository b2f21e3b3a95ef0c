import type { RequestListener } from 'node:http'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { fetchJson } from '../../../lib/auth/keys/fetch-json.ts'
import { httpsServer, trustServers } from '../https-server.ts'

const live = new AbortController().signal
const keySet = JSON.stringify({ keys: [] })
const padded = (bytes: number) => keySet.padEnd(bytes)

let answer: RequestListener
let server: Awaited<ReturnType<typeof httpsServer>>
let base: string

beforeAll(async () => {
  server = await httpsServer((request, response) => answer(request, response))
  base = server.base
  return server.close
})
beforeEach(() => {
  server.requests.length = 0
  answer = (_, response) => response.end(keySet)
})
afterEach(async () => {
  while ((await server.connections()) > 0) await new Promise(resolve => setImmediate(resolve))
})

test('the key set is fetched as JSON, over a connection that is closed afterwards', async () => {
  answer = ({ headers }, response) => response.end(headers.accept === 'application/json' ? keySet : '')
  expect(await fetchJson(`${base}/jwks`, live)).toEqual({ keys: [] })
  expect(server.requests).toEqual(['GET /jwks'])
})

test.each([201, 204, 301, 302, 307, 308, 400, 404, 500, 503])(
  'an answer %i is an error, and a redirect is not followed',
  async status => {
    answer = (_, response) => response.writeHead(status, { location: `${base}/elsewhere` }).end()
    await expect(fetchJson(`${base}/jwks`, live)).rejects.toThrow(`status ${status}`)
    expect(server.requests).toEqual(['GET /jwks'])
  },
)

test.each(['', '<html>', '{"keys":['])('a body of %j is an error', async body => {
  answer = (_, response) => response.end(body)
  await expect(fetchJson(base, live)).rejects.toThrow(SyntaxError)
})

test('a body of 512 KB is read, and one byte more is an error', async () => {
  answer = (_, response) => response.end(padded(512 * 1024))
  expect(await fetchJson(base, live)).toEqual({ keys: [] })
  answer = (_, response) => response.end(padded(512 * 1024 + 1))
  await expect(fetchJson(base, live)).rejects.toThrow('more than 512 KB')
})

test.each([
  [200, 'more than 512 KB'],
  [500, 'status 500'],
])('an endless body of an answer %i is aborted', async (status, message) => {
  answer = (_, response) => {
    response.statusCode = status
    const chunk = ' '.repeat(65_536)
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  }
  await expect(fetchJson(base, live)).rejects.toThrow(message)
})

test('an incomplete body is an error', async () => {
  answer = (_, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write(keySet, () => response.destroy())
  }
  await expect(fetchJson(base, live)).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('the abort of the signal ends the wait for the answer and closes the connection', async () => {
  const stop = new AbortController()
  answer = () => stop.abort()
  await expect(fetchJson(base, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
})

test('the abort of the signal ends the reading of the body and closes the connection', async () => {
  const stop = new AbortController()
  answer = (_, response) => {
    response.write(' ')
    setImmediate(() => stop.abort())
  }
  await expect(fetchJson(base, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
})

test('nothing is sent when the signal has aborted', async () => {
  await expect(fetchJson(base, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  expect(server.requests).toEqual([])
})

test('an untrusted certificate is refused', async () => {
  trustServers(false)
  await expect(fetchJson(base, live)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  trustServers(true)
  expect(server.requests).toEqual([])
})
