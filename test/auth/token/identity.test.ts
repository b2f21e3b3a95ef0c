import { expect, test } from 'vitest'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { issuersOf } from '../issuers.ts'
import type { Members } from './signer.ts'
import { audience, clock, good, issuer } from './vectors/fixtures.ts'

const { signal } = new AbortController()
const { jwks } = good
const noKeys = () => Promise.reject(new Error('no network'))

const identities: { name: string; claims: Members; expected: Members; config?: Members }[] = [
  {
    name: 'the identity has issuer, subject, client and scopes',
    claims: { sub: 'u-1', client_id: 'cli', azp: 'other', scope: 'a b' },
    expected: { issuer, subject: 'u-1', clientId: 'cli', scopes: new Set(['a', 'b']) },
  },
  {
    name: 'azp names the client without client_id',
    claims: { client_id: '', azp: 'web' },
    expected: { issuer, subject: 'machine', clientId: 'web', scopes: new Set() },
  },
  {
    name: "Okta's cid names the client without client_id and azp",
    claims: { azp: 7, cid: '0oa1' },
    expected: { issuer, subject: 'machine', clientId: '0oa1', scopes: new Set() },
  },
  {
    name: 'scopes are read from scope, scp and permissions',
    claims: { scope: 'a  b ', scp: 'c a', permissions: ['d', 'e f'], roles: ['g'] },
    expected: {
      issuer,
      subject: 'machine',
      clientId: undefined,
      scopes: new Set(['a', 'b', 'c', 'd', 'e f']),
    },
  },
  {
    name: 'scopes are read from lists in scope and scp',
    claims: { scope: ['a', 'b'], scp: ['c', 'd e'] },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set(['a', 'b', 'c', 'd e']) },
  },
  {
    name: 'a scope or client claim of a wrong type counts as absent',
    claims: { scope: { a: 1 }, scp: 7, permissions: { read: true }, client_id: 7, azp: [] },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set() },
  },
  {
    name: 'an entry of a wrong type in a list of scopes counts as absent',
    claims: { scope: [null, 'a'], scp: [1, ['x'], { y: 1 }, '', 'ok'] },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set(['a', 'ok']) },
  },
  {
    name: 'permissions in a string count as absent',
    claims: { permissions: 'a b', scp: null },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set() },
  },
  {
    name: 'scopes are read only from the configured claims',
    config: { scopeClaims: ['roles', 'scp'] },
    claims: { roles: ['a', 'b c'], scp: 'd e', scope: 'f', permissions: ['g'] },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set(['a', 'b c', 'd', 'e']) },
  },
  {
    name: 'a configured claim in a string counts as absent',
    config: { scopeClaims: ['roles', '__proto__', 'constructor'] },
    claims: { roles: 'a b' },
    expected: { issuer, subject: 'machine', clientId: undefined, scopes: new Set() },
  },
  {
    name: 'the subject is read from the configured claim',
    config: { subjectClaim: 'https://example/user_id' },
    claims: { 'https://example/user_id': 'u-9' },
    expected: { issuer, subject: 'u-9', clientId: undefined, scopes: new Set() },
  },
]

test.each(identities)('$name', async ({ claims, expected, config = {} }) => {
  const verify = tokenVerifier(issuersOf({ issuer, audience, jwks, ...config }), clock, noKeys)
  expect(await verify(good.sign(claims), signal)).toEqual(expected)
})

test('an application role of a daemon of Entra ID is a scope', async () => {
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
