import { expect, test } from 'vitest'
import { fetchJson } from '../../lib/auth/keys/fetch-json.ts'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { issuersOf } from './issuers.ts'
import { audience, openIssuer } from './open-issuer.ts'

/** An issuer, and a verifier that is configured only with its URL. */
async function scenario() {
  const provider = await openIssuer()
  const clock = fakeClock(Date.now())
  const verify = tokenVerifier(issuersOf({ issuer: provider.issuer, audience }), clock, fetchJson)
  return { provider, clock, verify: (token: string) => verify(token, new AbortController().signal) }
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
  expect(provider.requests).toEqual(['POST /token', 'GET /.well-known/openid-configuration', 'GET /jwks'])
})

test('a new key is used immediately, and the old one until it is withdrawn', async () => {
  const { provider, clock, verify } = await scenario()
  const old = await provider.token()
  await verify(old)
  provider.rotate('b', 'a')
  const renewed = await provider.token()
  await verify(renewed)
  clock.advance(300_000)
  await verify(old)
  provider.rotate('b')
  clock.advance(300_000)
  await expect(verify(old)).rejects.toMatchObject({ code: 'token_rejected' })
  await verify(renewed)
})

test('while the issuer is unreachable, known keys are used, and a token of another key is answered issuer_unavailable', async () => {
  const { provider, clock, verify } = await scenario()
  const known = await provider.token()
  await verify(known)
  provider.rotate('b')
  const unknown = await provider.token()
  const unavailable = { code: 'issuer_unavailable' }
  await provider.close()
  clock.advance(300_000)
  await verify(known)
  await expect(verify(unknown)).rejects.toMatchObject({ ...unavailable, facts: { retryAfterSeconds: 55 } })
  clock.advance(86_100_000)
  await expect(verify(known)).rejects.toMatchObject(unavailable)
})
