import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { fetchJson } from '../../lib/auth/keys/fetch-json.ts'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { issuersOf } from './issuers.ts'
import { audience, openIssuer } from './open-issuer.ts'
import type { Members } from './token/signer.ts'

const live = new AbortController().signal
const discovery = '/.well-known/openid-configuration'
const keysPath = '/jwks'
const rejected = { code: 'token_rejected' }
const unavailable = { code: 'issuer_unavailable' }

/** An issuer, and a verifier that is configured only with its URL. */
async function scenario(config: Members = {}) {
  const provider = await openIssuer()
  const clock = fakeClock(Date.now())
  const verify = tokenVerifier(issuersOf({ issuer: provider.issuer, audience, ...config }), clock, fetchJson)
  return {
    provider,
    clock,
    verify: (token: string, signal = live) => verify(token, signal),
    warm: verify.warm,
  }
}

test('a token of a certified provider is verified with only the URL of its issuer', async () => {
  const { provider, verify } = await scenario()
  const token = await provider.token()
  expect(await verify(token)).toEqual({
    issuer: provider.issuer,
    subject: 'nightly-job',
    clientId: 'nightly-job',
    scopes: new Set(['saml-providers:read']),
  })
  await verify(token)
  expect(provider.requests).toEqual(['POST /token', `GET ${discovery}`, `GET ${keysPath}`])
})

test('the first caller uses the keys of the warm-up', async () => {
  const { provider, verify, warm } = await scenario()
  await warm(live)
  const token = await provider.token()
  const before = provider.requests.length
  await verify(token)
  expect(provider.requests).toHaveLength(before)
})

test('a token for another audience is rejected', async () => {
  const { provider, verify } = await scenario({ audience: 'payroll' })
  await expect(verify(await provider.token())).rejects.toMatchObject(rejected)
  expect(provider.requests).toEqual(['POST /token'])
})

test('a new key is used immediately, and the old one as long as it is published', async () => {
  const { provider, clock, verify } = await scenario()
  const old = await provider.token()
  await verify(old)
  provider.rotate('b', 'a')
  await verify(await provider.token())
  clock.advance(300_000)
  await verify(old)
})

test('a withdrawn key stops working after keysMaxAgeSeconds', async () => {
  const { provider, clock, verify } = await scenario({ keysMaxAgeSeconds: 60 })
  const old = await provider.token()
  await verify(old)
  provider.rotate('b')
  clock.advance(59_999)
  await verify(old)
  clock.advance(1)
  await expect(verify(old)).rejects.toMatchObject(rejected)
  await verify(await provider.token())
})

const faults: { name: string; answer: RequestListener }[] = [
  { name: 'an error', answer: (_, response) => response.writeHead(500).end('{"keys":[]}') },
  {
    name: 'a redirect',
    answer: (_, response) => response.writeHead(302, { location: '/elsewhere' }).end('{"keys":[]}'),
  },
  { name: 'an HTML page', answer: (_, response) => response.end('<!doctype html>') },
  { name: 'null', answer: (_, response) => response.end('null') },
  { name: 'an empty object', answer: (_, response) => response.end('{}') },
  { name: 'another document', answer: (_, response) => response.end('{"issuer":"https://evil.example"}') },
  { name: '5 MB', answer: (_, response) => response.end(`{"keys":[]${' '.repeat(5e6)}}`) },
  { name: 'a broken connection', answer: request => request.socket.destroy() },
]

test.each(faults.flatMap(fault => [discovery, keysPath].map(path => ({ ...fault, path }))))(
  'while $path answers $name, known keys are used, and a token of another key is answered issuer_unavailable',
  async ({ answer, path }) => {
    const { provider, clock, verify } = await scenario()
    const known = await provider.token()
    await verify(known)
    provider.rotate('b', 'a')
    const unknown = await provider.token()
    provider.instead[path] = answer
    clock.advance(300_000)
    await verify(known)
    await expect(verify(unknown)).rejects.toMatchObject(unavailable)
    expect(provider.requests).not.toContain('GET /elsewhere')
    delete provider.instead[path]
    clock.advance(55_000)
    await verify(unknown)
  },
)

test('while the issuer is unreachable, known keys are used, and a token of another key is answered issuer_unavailable', async () => {
  const { provider, clock, verify } = await scenario()
  const known = await provider.token()
  await verify(known)
  provider.rotate('b')
  const unknown = await provider.token()
  await provider.close()
  clock.advance(300_000)
  await verify(known)
  await expect(verify(unknown)).rejects.toMatchObject({ ...unavailable, facts: { retryAfterSeconds: 55 } })
  clock.advance(86_100_000)
  await expect(verify(known)).rejects.toMatchObject(unavailable)
})

test.each([discovery, keysPath])('a caller waits for a slow %s until its signal aborts', async path => {
  const { provider, clock, verify } = await scenario()
  const token = await provider.token()
  const budget = new AbortController()
  provider.instead[path] = (_, response) => {
    response.write(' ')
    setImmediate(() => budget.abort('budget'))
  }
  await expect(verify(token, budget.signal)).rejects.toBe('budget')
  while ((await provider.connections()) > 0) await new Promise(resolve => setImmediate(resolve))
  expect(clock.scheduled()).toBe(0)
})

test('a fetch from a slow issuer is aborted after five seconds, discovery included', async () => {
  const { provider, clock, verify } = await scenario()
  const token = await provider.token()
  provider.instead[discovery] = (_, response) => {
    clock.advance(4_999)
    response.end(JSON.stringify({ issuer: provider.issuer, jwks_uri: provider.issuer + keysPath }))
  }
  provider.instead[keysPath] = () => clock.advance(1)
  await expect(verify(token)).rejects.toMatchObject(unavailable)
  expect(provider.requests).toContain(`GET ${keysPath}`)
  expect(clock.scheduled()).toBe(0)
})

test('an unreachable issuer does not affect the callers of another', async () => {
  const { provider, clock } = await scenario()
  const down = await openIssuer()
  const verify = tokenVerifier(
    issuersOf({ issuer: down.issuer, audience }, { issuer: provider.issuer, audience }),
    clock,
    fetchJson,
  )
  const tokenOfDown = await down.token()
  await down.close()
  await verify.warm(live)
  await expect(verify(tokenOfDown, live)).rejects.toMatchObject(unavailable)
  expect(await verify(await provider.token(), live)).toMatchObject({ issuer: provider.issuer })
})
