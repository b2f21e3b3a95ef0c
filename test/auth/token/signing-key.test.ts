import fc from 'fast-check'
import { importJWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import type { Algorithm } from '../../../lib/auth/algorithms.ts'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { issuersOf, keyPorts, patient } from '../issuers.ts'
import { keyPair, sharedKeys } from './signer.ts'
import { atSigningTime, audience, clock, issuer, signerOf } from './fixtures.ts'

const now = clock.nowMs() / 1000
const algorithms: Algorithm[] = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

atSigningTime()

test('the protected method of the library was read in the version that is installed', () => {
  expect(manifest.dependencies['aws-jwt-verify']).toBe('5.2.1')
})

/** An issuer of that algorithm: its signer, and whether its tokens are accepted. */
function issuerOf(alg: Algorithm) {
  const by = signerOf('key-1', alg, alg.startsWith('RS') ? sharedKeys('trusted') : keyPair(alg))
  const issuers = issuersOf({ issuer, audience, jwks: by.jwks, algorithms: [alg] })
  const verify = tokenVerifier(issuers, keyPorts({ clock }))
  const accepts = (token: string) =>
    verify(token, patient).then(
      () => true,
      failure => {
        if (failure.code !== 'token_rejected') throw failure
        return false
      },
    )
  return { ...by, accepts }
}

describe.each(algorithms)('%s', alg => {
  const { privateKey, sign, accepts } = issuerOf(alg)

  test(`a token that jose signs with ${alg} is accepted`, async () => {
    const token = await new SignJWT({ sub: 'machine' })
      .setProtectedHeader({ alg, typ: 'at+jwt', kid: 'key-1' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(now + 300)
      .sign(privateKey)
    expect(await accepts(token)).toBe(true)
  })

  test(`an accepted token of ${alg} with any one character changed is rejected`, async () => {
    const token = sign()
    expect(await accepts(token)).toBe(true)
    const signatureAt = token.lastIndexOf('.') + 1
    const edits = fc.record({
      at: fc.oneof(fc.nat(token.length - 1), fc.integer({ min: signatureAt, max: token.length - 1 })),
      inserted: fc.oneof(fc.constantFrom('', ...'AB_-=.'), fc.string({ maxLength: 1, unit: 'binary-ascii' })),
      removed: fc.nat(2),
    })
    const property = fc.asyncProperty(edits, async ({ at, inserted, removed }) => {
      const edited = token.slice(0, at) + inserted + token.slice(at + removed)
      expect(await accepts(edited)).toBe(edited === token)
    })
    await fc.assert(property)
  })
})

test('an accepted token of any claims is accepted by jose, too', async () => {
  const { publicJwk, sign, accepts } = issuerOf('EdDSA')
  const key = await importJWK(publicJwk, 'EdDSA')
  const rules = { issuer, audience, typ: 'at+jwt', clockTolerance: 30, currentDate: new Date(clock.nowMs()) }
  const nearNow = fc.integer({ min: -60, max: 60 }).map(seconds => now + seconds)
  const names = 'iss sub aud exp iat nbf jti scope scp permissions client_id azp'.split(' ')
  const value = fc.oneof(fc.jsonValue(), nearNow)
  const claims = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 2 })
  const parameters = fc.constantFrom('alg', 'kid', 'typ', 'crit', 'b64', 'x5t', 'cty')
  const header = fc.dictionary(parameters, fc.jsonValue(), { maxKeys: 1, noNullPrototype: true })
  const property = fc.asyncProperty(claims, header, async (added, changed) => {
    const token = sign(added, changed)
    // As JSON: it has no negative zero.
    const written = JSON.parse(JSON.stringify(added))
    if (await accepts(token)) expect((await jwtVerify(token, key, rules)).payload).toMatchObject(written)
  })
  await fc.assert(property, { examples: [[{}, {}]], numRuns: 500 })
})
