import { expect, test } from 'vitest'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { issuersOf } from '../issuers.ts'
import { systemTimeOf } from '../system-time.ts'
import type { Members } from './signer.ts'
import { audience, clock, good, issuer } from './vectors/fixtures.ts'

systemTimeOf(clock)

/** The identity of a token with these claims. */
function identity(claims: Members, config: Members = {}) {
  const issuers = issuersOf({ issuer, audience, jwks: good.jwks, ...config })
  const verify = tokenVerifier(issuers, clock, () => Promise.reject(new Error('no network')))
  return verify(good.sign(claims), new AbortController().signal)
}

const read = 'saml-providers:read'

test.each<[Members, string[]]>([
  [{}, []],
  [{ scope: '' }, []],
  [{ scope: 'a  b ' }, ['a', 'b']],
  [{ scope: ['a', 'b c'] }, ['a', 'b c']],
  [{ scp: 'a b' }, ['a', 'b']],
  [{ scp: ['a', 'b c'] }, ['a', 'b c']],
  [{ permissions: ['a', 'b c'] }, ['a', 'b c']],
  [{ scope: 'a', scp: 'b a', permissions: ['c'], roles: ['d'] }, ['a', 'b', 'c']],
  [{ scope: { 0: read }, scp: 7, permissions: { read: true } }, []],
  [{ permissions: read, scp: null }, []],
  [{ scope: [null, 'a'], scp: [1, ['x'], { y: 1 }, '', 'b'] }, ['a', 'b']],
  [{ scope: `${read}:all x${read} ${read},b` }, [`${read}:all`, `x${read}`, `${read},b`]],
])('%j carries the scopes %j', async (claims, scopes) => {
  expect((await identity(claims)).scopes).toEqual(new Set(scopes))
})

test.each<[string[], Members, string[]]>([
  [
    ['roles', 'scp'],
    { roles: ['a', 'b c'], scp: 'd e', scope: 'f', permissions: ['g'] },
    ['a', 'b c', 'd', 'e'],
  ],
  [['roles', '__proto__', 'constructor'], { roles: 'a b' }, []],
])('with the scope claims %j, %j carries the scopes %j', async (scopeClaims, claims, scopes) => {
  expect((await identity(claims, { scopeClaims })).scopes).toEqual(new Set(scopes))
})

test.each<[Members, string | undefined]>([
  [{}, undefined],
  [{ client_id: 'cli', azp: 'web', cid: '0oa1' }, 'cli'],
  [{ client_id: '', azp: 'web', cid: '0oa1' }, 'web'],
  [{ client_id: ['cli'], azp: 7, cid: '0oa1' }, '0oa1'],
])('%j is from the client %s', async (claims, clientId) => {
  expect((await identity(claims)).clientId).toBe(clientId)
})

test('the subject is read from the configured claim', async () => {
  const subjectClaim = 'https://example/user_id'
  expect(await identity({ [subjectClaim]: 'u-9' }, { subjectClaim })).toMatchObject({ subject: 'u-9' })
  expect(await identity({ sub: 'u-1' })).toMatchObject({ issuer, subject: 'u-1' })
})
