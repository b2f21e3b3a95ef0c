import { expect, test, vi } from 'vitest'
import { tokenVerifier } from '../../lib/auth/verifier.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { issuersOf } from './issuers.ts'
import { type Alg, type Members, signer } from './token/signer.ts'

const clock = fakeClock()
const signal = new AbortController().signal
const issuer = 'https://id.example'
const audience = 'saml-api'
const noKeys = () => Promise.reject(new Error('no network'))
const good = signer({ issuer, audience, nowMs: clock.nowMs })
const jwks = good.jwks

test.each<Alg>(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
  'a token signed with %s is accepted where it is allowed, and nowhere else',
  async alg => {
    const other = signer({ issuer, audience, nowMs: clock.nowMs, alg })
    const keys = {
      keys: [...other.jwks.keys, { ...jwks.keys[0], kid: 'rsa', alg: alg === 'RS256' ? 'RS512' : 'RS256' }],
    }
    const allowed = issuersOf({ issuer, audience, jwks: keys, algorithms: [alg] })
    const elsewhere = issuersOf({
      issuer,
      audience,
      jwks: keys,
      algorithms: [alg === 'RS256' ? 'RS512' : 'RS256'],
    })
    await expect(tokenVerifier(allowed, clock, noKeys)(other.sign(), signal)).resolves.toMatchObject({
      issuer,
    })
    await expect(tokenVerifier(elsewhere, clock, noKeys)(other.sign(), signal)).rejects.toMatchObject({
      code: 'token_rejected',
    })
  },
)

const identities: { name: string; claims: Members; expected: Members; config?: Members }[] = [
  {
    name: 'the identity is the issuer, the subject, the client and the scopes',
    claims: { sub: 'u-1', client_id: 'cli', azp: 'other', scope: 'a b' },
    expected: { issuer, subject: 'u-1', clientId: 'cli', scopes: new Set(['a', 'b']) },
  },
  {
    name: 'azp names the client where client_id does not',
    claims: { client_id: '', azp: 'web' },
    expected: { issuer, subject: 'machine', clientId: 'web', scopes: new Set() },
  },
  {
    name: "Okta's cid names the client where neither does",
    claims: { azp: 7, cid: '0oa1' },
    expected: { issuer, subject: 'machine', clientId: '0oa1', scopes: new Set() },
  },
  {
    name: 'scopes come from scope, scp and permissions',
    claims: { scope: 'a  b ', scp: 'c a', permissions: ['d', 'e f'], roles: ['g'] },
    expected: {
      issuer,
      subject: 'machine',
      clientId: undefined,
      scopes: new Set(['a', 'b', 'c', 'd', 'e f']),
    },
  },
  {
    name: 'scopes come from scope and scp as lists',
    claims: { scope: ['a', 'b'], scp: ['c', 'd e'] },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set(['a', 'b', 'c', 'd e']) },
  },
  {
    name: 'a claim of a wrong type about scopes or client counts as absent',
    claims: { scope: { a: 1 }, scp: 7, permissions: { read: true }, client_id: 7, azp: [] },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set() },
  },
  {
    name: 'an entry of a wrong type in a list of scopes counts as absent',
    claims: { scope: [null, 'a'], scp: [1, ['x'], { y: 1 }, '', 'ok'] },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set(['a', 'ok']) },
  },
  {
    name: 'permissions in a string are no scopes',
    claims: { permissions: 'a b', scp: null },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set() },
  },
  {
    name: 'scopes come from the configured claims alone',
    config: { scopeClaims: ['roles', 'scp'] },
    claims: { roles: ['a', 'b c'], scp: 'd e', scope: 'f', permissions: ['g'] },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set(['a', 'b c', 'd', 'e']) },
  },
  {
    name: 'a configured claim in a string is no list of scopes',
    config: { scopeClaims: ['roles', '__proto__', 'constructor'] },
    claims: { roles: 'a b' },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set() },
  },
  {
    name: 'the subject is taken from the configured claim',
    config: { subjectClaim: 'https://example/user_id' },
    claims: { 'https://example/user_id': 'u-9' },
    expected: { issuer, subject: 'u-9', clientId: undefined, scopes: new Set() },
  },
]

test.each(identities)('$name', async ({ claims, expected, config = {} }) => {
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwks, ...config }), clock, noKeys)
  expect(await verify(good.sign(claims), signal)).toEqual(expected)
})

test('an application role of a daemon at Entra ID is its right', async () => {
  const entra = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0'
  const service = '66666666-7777-8888-9999-000000000000'
  const daemon = '0a1b2c3d-0000-4000-8000-00000000da3e'
  const { alg: _, ...publicJwk } = good.publicJwk
  const verify = tokenVerifier(
    issuersOf({
      issuer: entra,
      audience: service,
      jwks: { keys: [publicJwk] },
      typ: 'JWT',
      subjectClaim: 'oid',
      scopeClaims: ['scp', 'roles'],
    }),
    clock,
    noKeys,
  )
  const token = good.sign(
    {
      ...{ iss: entra, aud: service, azp: 'daemon-client', azpacr: '1', idtyp: 'app', ver: '2.0' },
      ...{ oid: daemon, sub: daemon, tid: '11111111-2222-3333-4444-555555555555' },
      roles: ['saml-providers:read'],
    },
    { typ: 'JWT' },
  )
  expect(await verify(token, signal)).toEqual({
    issuer: entra,
    subject: daemon,
    clientId: 'daemon-client',
    scopes: new Set(['saml-providers:read']),
  })
})

test('each issuer is held to its own audience and keys', async () => {
  const other = signer({ issuer: 'https://b.example', audience: 'b', nowMs: clock.nowMs })
  const verify = tokenVerifier(
    issuersOf({ issuer, audience, jwks }, { issuer: 'https://b.example', audience: 'b', jwks: other.jwks }),
    clock,
    noKeys,
  )
  const rejected = { code: 'token_rejected' }
  expect(await verify(good.sign(), signal)).toMatchObject({ issuer })
  expect(await verify(other.sign(), signal)).toMatchObject({ issuer: 'https://b.example' })
  await expect(verify(other.sign({ aud: audience }), signal)).rejects.toMatchObject(rejected)
  await expect(verify(other.sign({ iss: issuer, aud: audience }), signal)).rejects.toMatchObject(rejected)
})

test('a kid may have 256 characters', async () => {
  const long = signer({ issuer, audience, nowMs: clock.nowMs, kid: 'k'.repeat(256) })
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwks: long.jwks }), clock, noKeys)
  await expect(verify(long.sign(), signal)).resolves.toMatchObject({ issuer })
})

test.each([
  ['no typ', undefined, true],
  ['JWT', 'JWT', true],
  ['jwt', 'jwt', true],
  ['at+jwt', 'at+jwt', false],
  ['an empty typ', '', false],
  ['a typ of null', null, false],
])('where the issuer marks no access tokens, %s is accepted: %s → %s', async (_, typ, accepted) => {
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwks, typ: null }), clock, noKeys)
  const outcome = verify(good.sign({}, { typ }), signal)
  if (accepted) await expect(outcome).resolves.toMatchObject({ issuer })
  else await expect(outcome).rejects.toMatchObject({ code: 'token_rejected' })
})

const cognito = { issuer, jwks, tokenUse: 'access', clientIds: ['cli-1', 'cli-2'] }
const cognitoToken = { aud: undefined, client_id: 'cli-2', token_use: 'access' }
const cognitoRows: { name: string; claims: Members; header?: Members; accepted: boolean }[] = [
  { name: 'an access token of a listed client without aud and typ', claims: cognitoToken, accepted: true },
  { name: 'a token with an aud besides', claims: { ...cognitoToken, aud: 'x' }, accepted: true },
  { name: 'a token of another client', claims: { ...cognitoToken, client_id: 'cli-3' }, accepted: false },
  {
    name: 'a token with a list of clients',
    claims: { ...cognitoToken, client_id: ['cli-2'] },
    accepted: false,
  },
  { name: 'a token of no client', claims: { ...cognitoToken, client_id: undefined }, accepted: false },
  { name: 'an ID token', claims: { ...cognitoToken, token_use: 'id' }, accepted: false },
  { name: 'an ID token with the client as aud', claims: { aud: 'cli-2', token_use: 'id' }, accepted: false },
  { name: 'a token of no stated use', claims: { ...cognitoToken, token_use: undefined }, accepted: false },
]

test.each(cognitoRows)('for Amazon Cognito, $name is accepted: $accepted', async ({ claims, accepted }) => {
  const outcome = tokenVerifier(
    issuersOf(cognito),
    clock,
    noKeys,
  )(good.sign(claims, { typ: undefined }), signal)
  if (accepted) await expect(outcome).resolves.toMatchObject({ clientId: 'cli-2' })
  else await expect(outcome).rejects.toMatchObject({ code: 'token_rejected' })
})

test('an aborted request gets its own reason, and nothing is fetched', async () => {
  const fetchJson = vi.fn(noKeys)
  const verify = tokenVerifier(
    issuersOf({ issuer, audience, jwksUri: 'https://id.example/jwks' }),
    clock,
    fetchJson,
  )
  const reason = new Failure('wait_expired')
  await expect(verify(good.sign(), AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(fetchJson).not.toHaveBeenCalled()
})

test('warming fetches the keys of every issuer, and outlives an outage of any', async () => {
  const other = 'https://down.example'
  const fetchJson = vi.fn(async (uri: string) => (uri.startsWith(other) ? noKeys() : jwks))
  const verify = tokenVerifier(
    issuersOf(
      { issuer: other, audience, jwksUri: `${other}/jwks` },
      { issuer, audience, jwksUri: `${issuer}/jwks` },
    ),
    clock,
    fetchJson,
  )
  await verify.warm(signal)
  await verify(good.sign(), signal)
  expect(fetchJson.mock.calls.map(([uri]) => uri)).toEqual([`${other}/jwks`, `${issuer}/jwks`])
})
