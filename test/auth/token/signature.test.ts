import { createPublicKey, type JsonWebKey } from 'node:crypto'
import fc from 'fast-check'
import { importJWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import type { Algorithm } from '../../../lib/auth/algorithms.ts'
import { isSignedWith } from '../../../lib/auth/token/signature.ts'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { issuersOf } from '../issuers.ts'
import { sharedKeys } from './shared-keys.ts'
import { keyPair, signer } from './signer.ts'

const clock = fakeClock()
const live = new AbortController().signal
const issuer = 'https://id.example'
const audience = 'saml-api'
const now = clock.nowMs() / 1000
const algorithms: Algorithm[] = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

const published: { source: string; jwk: JsonWebKey; alg: Algorithm; token: string }[] = [
  {
    source: 'RFC 7515 Appendix A.3',
    alg: 'ES256',
    jwk: {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
    token:
      'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
  },
  {
    source: 'RFC 8037 Appendix A.4',
    alg: 'EdDSA',
    jwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    token:
      'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
  },
]

test.each(published)('the signature of $source is valid, and invalid with any bit changed', row => {
  const { alg, jwk, token } = row
  const [, , last = ''] = token.split('.')
  const signature = Buffer.from(last, 'base64url')
  const parts = { header: { alg }, signingInput: token.slice(0, -last.length - 1), signature }
  const key = { alg, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) }
  expect(isSignedWith(parts, key)).toBe(true)
  for (let bit = 0; bit < signature.length * 8; bit++) {
    const changed = Buffer.from(signature)
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    expect(isSignedWith({ ...parts, signature: changed }, key)).toBe(false)
  }
})

describe.each(algorithms)('with %s', alg => {
  const keys = alg.startsWith('RS') ? sharedKeys('trusted') : keyPair(alg)
  const { publicJwk, privateKey, jwks, sign } = signer({ issuer, audience, nowMs: clock.nowMs, alg, keys })
  const verify = tokenVerifier(
    issuersOf({ issuer, audience, jwks, algorithms: [alg] }),
    clock,
    async () => {},
  )
  const accepts = (token: string) =>
    verify(token, live).then(
      () => true,
      () => false,
    )

  test('a token that jose signs is accepted', async () => {
    const token = await new SignJWT({ sub: 'machine' })
      .setProtectedHeader({ alg, typ: 'at+jwt', kid: publicJwk.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(now + 300)
      .sign(privateKey)
    expect(await accepts(token)).toBe(true)
  })

  test('every token that is accepted is accepted by jose', async () => {
    const key = await importJWK(publicJwk, alg)
    const policy = {
      issuer,
      audience,
      typ: 'at+jwt',
      algorithms: [alg],
      currentDate: new Date(clock.nowMs()),
    }
    const joseAccepts = (token: string) =>
      jwtVerify(token, key, policy).then(
        () => true,
        () => false,
      )
    const token = sign()
    const signatureAt = token.lastIndexOf('.') + 1
    const edits = fc.record({
      at: fc.oneof(fc.nat(token.length - 1), fc.integer({ min: signatureAt, max: token.length - 1 })),
      inserted: fc.constantFrom('', 'A', 'B', '_', '-', '=', '.'),
      removed: fc.nat(2),
    })
    const property = fc.asyncProperty(edits, async ({ at, inserted, removed }) => {
      const edited = token.slice(0, at) + inserted + token.slice(at + removed)
      if (await accepts(edited)) expect(await joseAccepts(edited)).toBe(true)
    })
    expect(await joseAccepts(token)).toBe(true)
    await fc.assert(property, { examples: [[{ at: 0, inserted: '', removed: 0 }]] })
  })
})

test('signed claims of any value that are accepted are accepted by jose', async () => {
  const { publicJwk, jwks, sign } = signer({ issuer, audience, nowMs: clock.nowMs, alg: 'EdDSA' })
  const issuers = issuersOf({ issuer, audience, jwks, algorithms: ['EdDSA'] })
  const verify = tokenVerifier(issuers, clock, async () => {})
  const key = await importJWK(publicJwk, 'EdDSA')
  const policy = { issuer, audience, typ: 'at+jwt', currentDate: new Date(clock.nowMs()), clockTolerance: 30 }
  const claims = fc.dictionary(
    fc.constantFrom('iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti'),
    fc.oneof(
      fc.jsonValue(),
      fc.integer({ min: -60, max: 60 }).map(seconds => now + seconds),
    ),
    { maxKeys: 2 },
  )
  const property = fc.asyncProperty(claims, async added => {
    const token = sign(added)
    const isAccepted = await verify(token, live).then(
      () => true,
      () => false,
    )
    if (isAccepted) expect((await jwtVerify(token, key, policy)).payload).toMatchObject(added)
  })
  await fc.assert(property, { examples: [[{}]], numRuns: 300 })
})
