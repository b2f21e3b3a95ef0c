import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { fetchJson } from '../../../lib/auth/keys/fetch-json.ts'
import { fetchKeys } from '../../../lib/auth/keys/fetch-keys.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { httpsServer, trustServers } from '../https-server.ts'
import { keyPorts, policyOf } from '../issuers.ts'
import { sharedKeys, signer } from '../token/signer.ts'

const live = new AbortController().signal
const issuer = 'https://id.example'
const discoveryUrl = `${issuer}/.well-known/openid-configuration`
const keysUrl = 'https://keys.example/jwks'
const document = { issuer, jwks_uri: keysUrl }
const { jwks } = signer({ issuer, audience: 'a', nowMs: () => 0, keys: sharedKeys('trusted') })

/** Fetches the keys of the issuer from these documents. */
const fetched = (documents: Record<string, unknown>) =>
  fetchKeys(
    policyOf({ issuer, audience: 'a' }),
    keyPorts({
      fetchJson: async url => {
        if (documents[url] instanceof Error) throw documents[url]
        return documents[url]
      },
    }),
  )

const otherIssuers = [undefined, `${issuer}/`, 'https://evil.example']
const otherUrls = ['http://keys.example/jwks', 'https://user:password@keys.example/jwks', [keysUrl]]

type Row = [discovered: unknown, keys: unknown, message: string]

test.each<Row>([
  [new Error('status 404'), undefined, `${discoveryUrl}: status 404`],
  [undefined, undefined, `${discoveryUrl}: names another issuer`],
  ...otherIssuers.map(
    (of): Row => [{ ...document, issuer: of }, jwks, `${discoveryUrl}: names another issuer`],
  ),
  ...otherUrls.map((at): Row => [{ ...document, jwks_uri: at }, jwks, `${discoveryUrl}: no https jwks_uri`]),
  [document, new Error('status 404'), `${keysUrl}: status 404`],
  [document, {}, `${keysUrl}: not a key set`],
])(
  'with the discovery %j and the keys %j, a fetch fails with the URL at fault',
  async (discovered, keys, message) => {
    await expect(fetched({ [discoveryUrl]: discovered, [keysUrl]: keys })).rejects.toThrow(message)
  },
)

test('the time of a fetch of keys includes discovery', async () => {
  const clock = fakeClock()
  const signals: AbortSignal[] = []
  const fetchJson = async (url: string, signal: AbortSignal) => {
    signals.push(signal)
    if (url !== discoveryUrl) return new Promise(() => {})
    clock.advance(2_999)
    return document
  }
  const found = fetchKeys(policyOf({ issuer, audience: 'a' }), { clock, fetchJson })
  setImmediate(() => clock.advance(1))
  await expect(found).rejects.toThrow(`${keysUrl}: not fetched within 3000 ms`)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(clock.scheduled()).toBe(0)
})

const emptySet = JSON.stringify({ keys: [] })

let answer: RequestListener
let server: Awaited<ReturnType<typeof httpsServer>>

beforeAll(async () => {
  server = await httpsServer((request, response) => answer(request, response))
  return server.close
})
beforeEach(() => {
  server.requests.length = 0
  answer = (_, response) => response.end(emptySet)
})
afterEach(async () => {
  while ((await server.connections()) > 0) await new Promise(resolve => setImmediate(resolve))
})

test('a document is fetched as JSON of either media type, by a named user agent', async () => {
  let asked: IncomingHttpHeaders = {}
  answer = ({ headers }, response) => {
    asked = headers
    response.end(`\uFEFF${emptySet}`) // with a byte order mark
  }
  expect(await fetchJson(`${server.base}/jwks`, live)).toEqual({ keys: [] })
  expect(server.requests).toEqual(['GET /jwks'])
  const accept = 'application/json, application/jwk-set+json'
  expect(asked).toMatchObject({ accept, 'user-agent': 'deprecated-saml-endpoints' })
})

test('a document may have 512 KB', async () => {
  answer = (_, response) => response.end(emptySet.padEnd(512 * 1024))
  expect(await fetchJson(server.base, live)).toEqual({ keys: [] })
})

const status = (code: number): RequestListener => {
  return (_, response) => response.writeHead(code, { location: `${server.base}/elsewhere` }).end()
}
const endless = (code: number): RequestListener => {
  return (_, response) => {
    response.statusCode = code
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  }
}

test.each<[string, RequestListener, RegExp]>([
  ...[201, 302, 404, 503].map((code): [string, RequestListener, RegExp] => {
    return [`the status ${code}`, status(code), new RegExp(`^status ${code}$`)]
  }),
  ['no body', (_, response) => response.end(), /JSON/],
  ['HTML', (_, response) => response.end('<html>'), /JSON/],
  ['more than 512 KB', (_, response) => response.end(emptySet.padEnd(512 * 1024 + 1)), /^more than 512 KB$/],
  ['an endless body', endless(200), /^more than 512 KB$/],
  ['the status 500 and an endless body', endless(500), /^status 500$/],
  [
    'an incomplete body',
    (_, response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
    /aborted/,
  ],
])('a fetch that gets %s fails after one request', async (_, listener, message) => {
  answer = listener
  await expect(fetchJson(server.base, live)).rejects.toThrow(message)
  expect(server.requests).toHaveLength(1)
})

test.each(['wait for the answer', 'reading of the body'])(
  "the abort of the signal ends a fetch's %s",
  async what => {
    const stop = new AbortController()
    answer = (_, response) => {
      if (what === 'reading of the body') response.write(' ')
      setImmediate(() => stop.abort())
    }
    await expect(fetchJson(server.base, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
  },
)

test('an untrusted certificate is refused', async () => {
  trustServers(false)
  await expect(fetchJson(server.base, live)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  trustServers(true)
  expect(server.requests).toEqual([])
})
