import { expect, test, vi } from 'vitest'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { issuersOf, keyPorts, patient } from './issuers.ts'
import { settle } from './keys/scenario.ts'
import type { Members } from './token/signer.ts'
import {
  atSigningTime,
  audience,
  clock,
  cognitoToken,
  good,
  issuer,
  now,
  parts,
  signerOf,
  trusted,
} from './token/fixtures.ts'
import { accepted, badClaims, badFormat, badHeader, forged } from './token/vectors.ts'

atSigningTime()

/** Trusts the issuers, and fetches their keys. */
async function verified(token: string) {
  const published = new Map(trusted.map(({ issuer, jwks }) => [`${issuer}/jwks`, jwks]))
  const fetching = trusted.map(issuer => ({ ...issuer, jwks: undefined, jwksUri: `${issuer.issuer}/jwks` }))
  const fetchJson = vi.fn(async (uri: string) => published.get(uri))
  const verify = tokenVerifier(issuersOf(...fetching), keyPorts({ clock, fetchJson }))
  const outcome = await verify(token, patient).catch(error => error)
  return { outcome, fetches: fetchJson.mock.calls.length }
}

function expectRejected(outcome: unknown) {
  expect(outcome).toBeInstanceOf(Failure)
  const cause = { message: expect.stringMatching(/\w/) }
  expect(outcome).toMatchObject({ code: 'token_rejected', facts: {}, cause })
}

test.each(Object.entries({ ...badFormat, ...badHeader, ...badClaims }))(
  'a token is rejected without a fetch: %s',
  async (_, token) => {
    const { outcome, fetches } = await verified(token)
    expectRejected(outcome)
    expect(fetches).toBe(0)
  },
)

test.each(Object.entries(forged))('a forged token is rejected: %s', async (_, token) => {
  expectRejected((await verified(token)).outcome)
})

test.each(Object.entries(accepted))('a token is accepted: %s', async (_, token) => {
  const { iss } = JSON.parse(String(Buffer.from(token.split('.')[1] ?? '', 'base64url')))
  expect((await verified(token)).outcome).toMatchObject({ issuer: iss })
})

test.each([
  [good.sign({ aud: undefined }), 'no aud'],
  [good.sign({ aud: 'other' }), 'meant for another audience'],
  ['opaque', 'no JWT: not three parts'],
  [`${parts.join('.')}.x.y`, 'encrypted (RFC 7516)'],
  [good.sign({ exp: now }), 'expired'],
  [good.sign({ exp: `${now + 300}` }), 'exp missing or malformed'],
  [cognitoToken({ client_id: 'cli-3' }), 'meant for another client'],
])('the log says why %s is rejected: %s', async (token, message) => {
  expect((await verified(token)).outcome).toMatchObject({ cause: { message } })
})

/** The identity of a token with these claims. */
function identity(claims: Members, config: Members = {}) {
  const issuers = issuersOf({ issuer, audience, jwks: good.jwks, ...config })
  const verify = tokenVerifier(issuers, keyPorts({ clock }))
  return verify(good.sign(claims), patient)
}

const read = 'saml-providers:read'

test.each<[Members, string[]]>([
  [{}, []],
  [{ scope: 'a  b ' }, ['a', 'b']],
  [{ scope: ['a', 'b c'] }, ['a', 'b c']],
  [{ scp: 'a b' }, ['a', 'b']],
  [{ permissions: ['a', 'b c'] }, ['a', 'b c']],
  [{ scope: 'a', scp: 'b a', permissions: ['c'], roles: ['d'] }, ['a', 'b', 'c']],
  [{ scope: { [read]: {} }, scp: 7, permissions: { [read]: { 42: 'org.example' } } }, []],
  [{ scope: null, permissions: read }, []],
  [{ scope: [null, 'a'], scp: [1, ['x'], { y: 1 }, '', 'b'] }, ['a', 'b']],
  [{ scope: `${read}:all x${read} ${read},b` }, [`${read}:all`, `x${read}`, `${read},b`]],
])('a token with %j carries the scopes %j', async (claims, scopes) => {
  expect((await identity(claims)).scopes).toEqual(new Set(scopes))
})

test.each<[string[], Members, string[]]>([
  [
    ['roles', 'scp'],
    { roles: ['a', 'b c'], scp: 'd e', scope: 'f', permissions: ['g'] },
    ['a', 'b c', 'd', 'e'],
  ],
  [['roles', '__proto__', 'constructor'], { roles: 'a b' }, []],
])('with the scope claims %j, a token with %j carries the scopes %j', async (scopeClaims, claims, scopes) => {
  expect((await identity(claims, { scopeClaims })).scopes).toEqual(new Set(scopes))
})

test.each<[Members, string | undefined]>([
  [{}, undefined],
  [{ client_id: 'cli', azp: 'web', cid: '0oa1', appid: 'app' }, 'cli'],
  [{ client_id: '', azp: 'web', cid: '0oa1' }, 'web'],
  [{ client_id: ['cli'], azp: 7, cid: '0oa1' }, '0oa1'],
  [{ appid: 'app' }, 'app'],
])('a token with %j is from the client %s', async (claims, clientId) => {
  expect((await identity(claims)).clientId).toBe(clientId)
})

const jwksUri = `${issuer}/jwks`
const rejected = { code: 'token_rejected' }
const { jwks } = good
const fetching = issuersOf({ issuer, audience, jwksUri })

test('a key that was replaced under its kid verifies no token any more', async () => {
  const clock = fakeClock()
  const successor = signerOf('key-1')
  let published = jwks
  const verify = tokenVerifier(fetching, keyPorts({ clock, fetchJson: async () => published }))
  await expect(verify(good.sign(), patient)).resolves.toMatchObject({ issuer })
  published = successor.jwks
  await expect(verify(successor.sign(), patient)).rejects.toMatchObject(rejected)
  clock.advance(300_000)
  await expect(verify(successor.sign({ exp: 9e9 }), patient)).resolves.toMatchObject({ issuer })
  await expect(verify(good.sign({ exp: 9e9 }), patient)).rejects.toMatchObject(rejected)
})

test('the warm-up fetches the keys of all issuers at the same time', async () => {
  const hanging = { issuer: 'https://hanging.example', audience, jwksUri: 'https://hanging.example/jwks' }
  const fetchJson = vi.fn((uri: string) => (uri === jwksUri ? Promise.resolve(jwks) : new Promise(() => {})))
  const verify = tokenVerifier(issuersOf(hanging, { issuer, audience, jwksUri }), keyPorts({ fetchJson }))
  void verify.warm(patient)
  await settle()
  expect(fetchJson.mock.calls.map(([uri]) => uri)).toEqual([hanging.jwksUri, jwksUri])
  await verify(good.sign(), patient)
  expect(fetchJson).toHaveBeenCalledTimes(2)
})
