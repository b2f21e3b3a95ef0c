import {
  JwtExpiredError,
  JwtInvalidAudienceError,
  JwtInvalidIssuerError,
  JwtInvalidSignatureAlgorithmError,
  JwtInvalidSignatureError,
  JwtNotBeforeError,
} from 'aws-jwt-verify/error'
import type { DecomposedJwt } from 'aws-jwt-verify/jwt'
import { JwtVerifierBase } from 'aws-jwt-verify/jwt-verifier'
import { expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { signer } from './signer.ts'

const issuer = 'https://id.example'
const audience = 'saml-api'
const policy = { issuer, audience, graceSeconds: 30, jwksUri: issuer }
const nowSeconds = Math.floor(Date.now() / 1000)
const good = signer({ issuer, audience, nowMs: Date.now, alg: 'ES256' })
const [headerB64 = '', payloadB64 = '', signatureB64 = ''] = good.sign().split('.')
const token = {
  header: { alg: 'ES256', kid: 'key-1' },
  payload: { iss: issuer, aud: audience },
  headerB64,
  payloadB64,
  signatureB64,
}

class Verifier extends JwtVerifierBase<typeof policy, typeof policy, false> {
  constructor() {
    super(policy)
  }
  verify_(changed: object) {
    return this.verifyDecomposedJwtSync({ ...token, ...changed } as DecomposedJwt, policy.jwksUri, policy)
  }
}

const verifier = new Verifier()
verifier.cacheJwks({ keys: [good.publicJwk as never] })
const payload = (claims: object) => ({ payload: { ...token.payload, ...claims } })

test('the protected method was read in the version that is installed', () => {
  expect(manifest.dependencies['aws-jwt-verify']).toBe('5.2.1')
})

test.each([
  ['a good token', {}],
  ['a scope that is a list', payload({ scope: ['a'] })],
  ['an exp within the grace', payload({ exp: nowSeconds - 20 })],
  ['an nbf within the grace', payload({ nbf: nowSeconds + 20 })],
])('the protected method returns the claims of %s', (_, changed) => {
  expect(verifier.verify_(changed)).toEqual({ ...token, ...changed }.payload)
})

test.each([
  ['another signature', { signatureB64: 'A'.repeat(86) }, JwtInvalidSignatureError],
  ['another payload', { payloadB64: 'e30' }, JwtInvalidSignatureError],
  ['a malformed signature', { signatureB64: 'AA' }, Error],
  [
    'another alg than that of the key',
    { header: { ...token.header, alg: 'RS256' } },
    JwtInvalidSignatureAlgorithmError,
  ],
  ['another issuer', payload({ iss: 'https://b.example' }), JwtInvalidIssuerError],
  ['no issuer', payload({ iss: undefined }), JwtInvalidIssuerError],
  ['another audience', payload({ aud: 'b' }), JwtInvalidAudienceError],
  ['no audience', payload({ aud: undefined }), JwtInvalidAudienceError],
  ['an exp before the grace', payload({ exp: nowSeconds - 40 }), JwtExpiredError],
  ['an nbf beyond the grace', payload({ nbf: nowSeconds + 40 }), JwtNotBeforeError],
])('the protected method throws on %s', (_, changed, error) => {
  expect(() => verifier.verify_(changed)).toThrow(error)
})
