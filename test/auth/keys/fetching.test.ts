import type { RequestListener } from 'node:http'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { discoverJwksUri } from '../../../lib/auth/keys/discovery.ts'
import { fetchJson } from '../../../lib/auth/keys/fetch-json.ts'
import { keySet } from '../../../lib/auth/keys/key-set.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { httpsServer, trustServers } from '../https-server.ts'
import { keyPorts, patient, policyOf } from '../issuers.ts'
import { sharedKeys, signer } from '../token/signer.ts'

const live = new AbortController().signal
const issuer = 'https://id.example'
const discoveryUri = `${issuer}/.well-known/openid-configuration`
const document = { issuer, jwks_uri: 'https://keys.example/jwks' }
const oneKey = {
  keys: [signer({ issuer, audience: 'a', nowMs: () => 0, keys: sharedKeys('trusted') }).publicJwk],
}

/** A fake of `fetchJson` for these documents that records the requested URLs. */
function fakeWeb(published: Record<string, unknown>) {
  const requested: string[] = []
  const fetchJson = async (uri: string) => {
    requested.push(uri)
    return published[uri]
  }
  return { requested, fetchJson }
}

test('the jwks_uri is discovered at each fetch', async () => {
  const published: Record<string, unknown> = { [discoveryUri]: document, [document.jwks_uri]: oneKey }
  const { requested, fetchJson } = fakeWeb(published)
  const clock = fakeClock()
  const keys = keySet(policyOf({ issuer, audience: 'a' }), keyPorts({ clock, fetchJson }))
  await keys.find('a', patient)
  clock.advance(55_000)
  published[discoveryUri] = { ...document, jwks_uri: 'https://keys.example/moved' }
  published['https://keys.example/moved'] = oneKey
  await keys.find('b', patient)
  expect(requested).toEqual([discoveryUri, document.jwks_uri, discoveryUri, 'https://keys.example/moved'])
})

test('discovery is part of the five seconds of a fetch', async () => {
  const clock = fakeClock()
  const signals: AbortSignal[] = []
  const fetchJson = async (uri: string, signal: AbortSignal) => {
    signals.push(signal)
    if (uri !== discoveryUri) return new Promise(() => {})
    clock.advance(4_999)
    return document
  }
  const config = policyOf({ issuer, audience: 'a' })
  const found = keySet(config, keyPorts({ clock, fetchJson })).find('a', patient)
  setImmediate(() => clock.advance(1))
  await expect(found).rejects.toMatchObject({ code: 'issuer_unavailable' })
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(clock.scheduled()).toBe(0)
})

test.each([
  ['https://id.example/', 'https://id.example/.well-known/openid-configuration'],
  ['https://id.example/a/', 'https://id.example/a/.well-known/openid-configuration'],
])('the discovery document of %s is at %s', async (named, at) => {
  const { fetchJson } = fakeWeb({ [at]: { ...document, issuer: named } })
  expect(await discoverJwksUri(named, fetchJson, live)).toBe(document.jwks_uri)
})

test.each([
  undefined,
  { ...document, issuer: undefined },
  { ...document, issuer: `${issuer}/` },
  { ...document, issuer: 'https://evil.example' },
  { ...document, jwks_uri: 'http://keys.example/jwks' },
  { ...document, jwks_uri: 'https://user:password@keys.example/jwks' },
  { ...document, jwks_uri: ['https://keys.example/jwks'] },
])('%j is not a discovery document of the issuer', async found => {
  const { requested, fetchJson } = fakeWeb({ [discoveryUri]: found })
  await expect(discoverJwksUri(issuer, fetchJson, live)).rejects.toThrow(/discovery document|jwks_uri/)
  expect(requested).toEqual([discoveryUri])
})

const emptySet = JSON.stringify({ keys: [] })
const padded = (bytes: number) => emptySet.padEnd(bytes)

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
  answer = (_, response) => response.end(emptySet)
})
afterEach(async () => {
  while ((await server.connections()) > 0) await new Promise(resolve => setImmediate(resolve))
})

test('the key set is fetched as JSON', async () => {
  answer = ({ headers }, response) => response.end(headers.accept === 'application/json' ? emptySet : '')
  expect(await fetchJson(`${base}/jwks`, live)).toEqual({ keys: [] })
  expect(server.requests).toEqual(['GET /jwks'])
})

test.each([201, 302, 404, 503])('an answer %i is an error', async status => {
  answer = (_, response) => response.writeHead(status, { location: `${base}/elsewhere` }).end()
  await expect(fetchJson(`${base}/jwks`, live)).rejects.toThrow(`status ${status}`)
  expect(server.requests).toEqual(['GET /jwks'])
})

test.each(['', '<html>'])('a body of %j is an error', async body => {
  answer = (_, response) => response.end(body)
  await expect(fetchJson(base, live)).rejects.toThrow(SyntaxError)
})

test('a body has at most 512 KB', async () => {
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
    response.write(emptySet, () => response.destroy())
  }
  await expect(fetchJson(base, live)).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test.each(['wait for the answer', 'reading of the body'])(
  'the abort of the signal ends the %s',
  async what => {
    const stop = new AbortController()
    answer = (_, response) => {
      if (what === 'reading of the body') response.write(' ')
      setImmediate(() => stop.abort())
    }
    await expect(fetchJson(base, stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
  },
)

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
