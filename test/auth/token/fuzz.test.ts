import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { issuersOf } from '../issuers.ts'
import { audience, clock, good, issuer } from './vectors/fixtures.ts'

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
