import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { issuersOf } from '../issuers.ts'
import { compact } from './signer.ts'
import { audience, body, clock, good, head, issuer } from './vectors/fixtures.ts'

const verify = tokenVerifier(
  issuersOf({ issuer, audience, jwksUri: `${issuer}/jwks`, algorithms: ['RS256', 'ES256'] }),
  clock,
  async () => good.jwks,
)
const codeOf = (token: string) =>
  verify(token, new AbortController().signal).then(
    () => 'accepted',
    failure => failure.code ?? failure,
  )
const base64url = fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes).toString('base64url'))
const claim = fc.constantFrom(
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'nbf',
  'scope',
  'scp',
  'permissions',
  'client_id',
  'azp',
)
const parameter = fc.constantFrom('alg', 'kid', 'typ', 'crit', 'b64', 'x5t', 'cty')

test('any text is rejected', async () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(base64url, base64url, base64url).map(p => p.join('.')),
  )
  await fc.assert(
    fc.asyncProperty(texts, async token => {
      expect(await codeOf(token)).toBe('token_rejected')
    }),
  )
})

test('an accepted token with any one character changed, added or removed is rejected', async () => {
  const token = good.sign()
  const edits = fc.tuple(
    fc.nat(token.length - 1),
    fc.string({ minLength: 0, maxLength: 1, unit: 'binary' }),
    fc.nat(1),
  )
  const property = fc.asyncProperty(edits, async ([at, added, removed]) => {
    const edited = token.slice(0, at) + added + token.slice(at + removed)
    fc.pre(edited !== token)
    expect(await codeOf(edited)).toBe('token_rejected')
  })
  await fc.assert(property, { numRuns: 500 })
})

test('an accepted token with any other signature is rejected', async () => {
  const [header, claims] = good.sign().split('.')
  await fc.assert(
    fc.asyncProperty(base64url, async signature => {
      expect(await codeOf(`${header}.${claims}.${signature}`)).toBe('token_rejected')
    }),
  )
})

test('a signed token with a claim or header parameter of any value is accepted or rejected, without another error', async () => {
  const property = fc.asyncProperty(
    claim,
    parameter,
    fc.jsonValue(),
    fc.boolean(),
    async (name, other, value, inHeader) => {
      const token = inHeader
        ? compact({ ...head, [other]: value }, body, good.privateKey)
        : compact(head, { ...body, [name]: value }, good.privateKey)
      expect(['accepted', 'token_rejected']).toContain(await codeOf(token))
    },
  )
  await fc.assert(property, { numRuns: 300 })
})
