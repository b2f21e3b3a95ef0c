import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { issuersOf } from './issuers.ts'
import type { Members } from './token/signer.ts'

const minimal = { issuer: 'https://id.example', audience: 'a', jwksUri: 'https://id.example/jwks' }
const client = { ...minimal, audience: undefined, tokenUse: 'access', clientIds: ['c'] }
const pool = { cognitoUserPoolId: 'eu-central-1_AbCdEf123', clientIds: ['c'] }

test('the optional settings of an issuer have strict defaults', () => {
  expect(issuersOf(minimal)).toEqual([
    {
      ...minimal,
      algorithms: ['RS256'],
      typ: 'at+jwt',
      subjectClaim: 'sub',
      scopeClaims: ['scope', 'scp', 'permissions'],
      clockGraceSeconds: 30,
      keysMaxAgeSeconds: 300,
      keysStaleMaxSeconds: 86_400,
    },
  ])
})

test('an issuer with clientIds needs neither audience nor typ', () => {
  const [issuer] = issuersOf(client)
  expect(issuer).toMatchObject({ tokenUse: 'access', clientIds: ['c'] })
  expect(issuer).not.toHaveProperty('typ')
})

test('an issuer that is an https URL needs no jwksUri, as its keys can be discovered', () => {
  expect(issuersOf({ ...minimal, jwksUri: undefined })[0]).not.toHaveProperty('jwksUri')
  expect(issuersOf({ ...client, jwksUri: undefined })[0]).not.toHaveProperty('jwksUri')
})

test('a Cognito user pool needs only its id and its clients', () => {
  const base = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf123'
  const { audience: _, ...rest } = client
  expect(issuersOf(pool)).toEqual(
    issuersOf({ ...rest, issuer: base, jwksUri: `${base}/.well-known/jwks.json` }),
  )
  expect(issuersOf({ ...pool, cognitoUserPoolId: 'us-gov-west-1_a' })[0]?.issuer).toBe(
    'https://cognito-idp.us-gov-west-1.amazonaws.com/us-gov-west-1_a',
  )
})

test('a user pool that is listed by its id and by its issuer is refused', () => {
  const [{ issuer, jwksUri } = minimal] = issuersOf(pool)
  expect(() => issuersOf(pool, { ...client, audience: undefined, issuer, jwksUri })).toThrow('twice')
})

const faults: { name: string; issuer: Members; fault: string }[] = [
  {
    name: 'neither audience nor clientIds',
    issuer: { ...minimal, audience: undefined },
    fault: 'audience is missing',
  },
  {
    name: 'audience and clientIds',
    issuer: { ...client, audience: 'a' },
    fault: 'audience is unknown to an issuer with clientIds',
  },
  {
    name: 'typ and clientIds',
    issuer: { ...client, typ: 'JWT' },
    fault: 'typ is unknown to an issuer with clientIds',
  },
  {
    name: 'clientIds without tokenUse',
    issuer: { ...client, tokenUse: undefined },
    fault: 'tokenUse is missing',
  },
  {
    name: 'tokenUse without clientIds',
    issuer: { ...client, clientIds: undefined },
    fault: 'clientIds is missing',
  },
  { name: 'ID tokens', issuer: { ...client, tokenUse: 'id' }, fault: 'tokenUse must be access' },
  {
    name: 'no client',
    issuer: { ...client, clientIds: [] },
    fault: 'clientIds must name at least one client',
  },
  { name: 'an empty audience', issuer: { ...minimal, audience: '' }, fault: 'audience must not be empty' },
  { name: 'an unknown setting', issuer: { ...minimal, algorithm: 'RS256' }, fault: 'algorithm is unknown' },
  ...['PS256', 'PS384', 'PS512', 'Ed25519', 'Ed448', 'HS256', 'none'].map(alg => ({
    name: `the algorithm ${alg}`,
    issuer: { ...minimal, algorithms: ['RS256', alg] },
    fault: 'algorithms.1',
  })),
  {
    name: 'two sources of keys',
    issuer: { ...minimal, jwks: { keys: [{ kty: 'RSA' }] } },
    fault: 'must not have both jwks and jwksUri',
  },
  ...[
    'http://id.example',
    'id.example',
    'https://',
    'https://id.example?a',
    'https://id.example#a',
    'https://user:password@id.example',
  ].map(issuer => ({
    name: `no keys and ${issuer}`,
    issuer: { issuer, audience: 'a' },
    fault: 'needs jwks or jwksUri, or an issuer that is an https URL',
  })),
  ...[
    '',
    'x',
    '_A',
    'eu-central-1',
    'eu-central-1_',
    'eu-central-1_a/b',
    'evil.example/a_b',
    'EU-CENTRAL-1_A',
  ].map(id => ({
    name: `a user pool ${JSON.stringify(id)}`,
    issuer: { ...pool, cognitoUserPoolId: id },
    fault: 'cognitoUserPoolId must be like eu-central-1_AbCdEf123',
  })),
  {
    name: 'a user pool without clients',
    issuer: { ...pool, clientIds: undefined },
    fault: 'clientIds is missing',
  },
  ...['issuer', 'jwksUri', 'jwks', 'audience', 'typ', 'tokenUse'].map(name => ({
    name: `${name} of a user pool`,
    issuer: { ...pool, [name]: 'x' },
    fault: `${name} is unknown to an issuer with cognitoUserPoolId`,
  })),
  {
    name: 'an empty list of scope claims',
    issuer: { ...minimal, scopeClaims: [] },
    fault: 'scopeClaims must name at least one claim',
  },
  {
    name: 'a scope claim without a name',
    issuer: { ...pool, scopeClaims: ['roles', ''] },
    fault: 'scopeClaims.1 must not be empty',
  },
  ...[
    'http://id.example',
    'https://',
    'https:///id.example',
    'https://user:password@id.example/jwks',
    'https://user@id.example',
    'https://@id.example',
    'https:///user:password@id.example',
    'https://id.example\\@other.example',
    'https://us\ter:password@id.example',
  ].map(jwksUri => ({
    name: `keys at ${JSON.stringify(jwksUri)}`,
    issuer: { ...minimal, jwksUri },
    fault: 'jwksUri must be an https URL without user info',
  })),
  {
    name: 'keysStaleMaxSeconds below keysMaxAgeSeconds',
    issuer: { ...minimal, keysMaxAgeSeconds: 600, keysStaleMaxSeconds: 599 },
    fault: 'keysStaleMaxSeconds must not be less than keysMaxAgeSeconds',
  },
]

test.each(faults)('$name is refused with the name of the setting', ({ issuer, fault }) => {
  expect(() => issuersOf(issuer)).toThrow(fault)
})

test.each(['https://id.example/@tenant/jwks', 'https://id.example:8443?p=a@b', 'https://[::1]/jwks'])(
  'keys may be at %s',
  jwksUri => expect(issuersOf({ ...minimal, jwksUri })[0]).toMatchObject({ jwksUri }),
)

test('an issuer that is not an object is refused', () => {
  expect(() => issuersOf('https://id.example')).toThrow('ISSUERS.0 must be an object')
})

const document = readFileSync(new URL('../../infra/issuers.md', import.meta.url), 'utf8')
const examples = [...document.matchAll(/^```json\n(\[[\s\S]*?)^```$/gm)].map(([, json = '']) => json)

test('every example in infra/issuers.md is valid', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5)
  for (const json of examples) expect(issuersOf(...JSON.parse(json))).toHaveLength(1)
})
