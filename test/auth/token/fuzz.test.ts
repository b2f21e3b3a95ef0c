import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { issuersOf } from '../issuers.ts'
import { audience, clock, good, issuer, parts } from './vectors/fixtures.ts'

const algorithms = ['RS256', 'ES256']
const verify = tokenVerifier(
  issuersOf({ issuer, audience, algorithms, jwks: good.jwks }),
  clock,
  async () => {},
)
const codeOf = (token: string) =>
  verify(token, new AbortController().signal).then(
    () => 'accepted',
    failure => failure.code ?? failure,
  )
const base64url = fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes).toString('base64url'))

/** Expects that each of these texts is rejected. */
const rejectsAll = (texts: fc.Arbitrary<string>) =>
  fc.assert(
    fc.asyncProperty(texts, async text => {
      expect(await codeOf(text)).toBe('token_rejected')
    }),
  )

test('any text is rejected', () =>
  rejectsAll(
    fc.oneof(
      fc.string({ unit: 'binary-ascii' }),
      fc.tuple(base64url, base64url, base64url).map(p => p.join('.')),
    ),
  ))

test('an accepted token with any other signature is rejected', () =>
  rejectsAll(base64url.map(signature => `${parts[0]}.${parts[1]}.${signature}`)))

test('a signed token with a claim or header parameter of any value is accepted or rejected, without another error', async () => {
  const claims = 'iss sub aud exp iat nbf scope scp permissions client_id azp'.split(' ')
  const parameters = 'alg kid typ crit b64 x5t cty'.split(' ')
  const members = (names: string[]) =>
    fc.dictionary(fc.constantFrom(...names), fc.jsonValue(), { maxKeys: 1, noNullPrototype: true })
  const property = fc.asyncProperty(members(claims), members(parameters), async (claim, parameter) => {
    expect(['accepted', 'token_rejected']).toContain(await codeOf(good.sign(claim, parameter)))
  })
  await fc.assert(property, { numRuns: 300 })
})
