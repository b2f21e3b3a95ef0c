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

test('a Cognito user pool needs only an id with clients', () => {
  const base = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf123'
  const { audience: _, ...rest } = client
  expect(issuersOf(pool)).toEqual(
    issuersOf({ ...rest, issuer: base, jwksUri: `${base}/.well-known/jwks.json` }),
  )
  expect(issuersOf({ ...pool, cognitoUserPoolId: 'us-gov-west-1_a' })[0]?.issuer).toBe(
    'https://cognito-idp.us-gov-west-1.amazonaws.com/us-gov-west-1_a',
  )
})

test('a user pool that is listed twice is refused', () => {
  const [{ issuer, jwksUri } = minimal] = issuersOf(pool)
  expect(() => issuersOf(pool, { ...client, audience: undefined, issuer, jwksUri })).toThrow('twice')
})

/** By the message of the refusal, the configurations that get it. */
const faults: Record<string, Members[]> = {
  'audience is missing': [{ ...minimal, audience: undefined }],
  'audience is unknown to an issuer with clientIds': [{ ...client, audience: 'a' }],
  'typ is unknown to an issuer with clientIds': [{ ...client, typ: 'JWT' }],
  'tokenUse is missing': [{ ...client, tokenUse: undefined }],
  'clientIds is missing': [client, pool].map(one => ({ ...one, clientIds: undefined })),
  'tokenUse must be access': [{ ...client, tokenUse: 'id' }],
  'clientIds must name at least one client': [{ ...client, clientIds: [] }],
  'audience must not be empty': [{ ...minimal, audience: '' }],
  'algorithm is unknown': [{ ...minimal, algorithm: 'RS256' }],
  'algorithms must be a list': [{ ...minimal, algorithms: 'RS256' }],
  'algorithms must not be empty': [{ ...minimal, algorithms: [] }],
  'algorithms.1 must be one of RS256, RS384, RS512, ES256, ES384, ES512, EdDSA': [
    ...['PS256', 'HS256', 'none', 7],
  ].map(alg => ({ ...minimal, algorithms: ['RS256', alg] })),
  'audience must be a text, or a list of texts': [{ ...minimal, audience: 7 }],
  'typ must be a text': [{ ...minimal, typ: 7 }],
  'clockGraceSeconds must be a whole number from 0 to 300': [...['30', 0.5, -1, 301]].map(
    clockGraceSeconds => ({ ...minimal, clockGraceSeconds }),
  ),
  'jwks must be an object': [{ ...minimal, jwks: 7 }],
  'jwks.keys must not be empty': [{ ...minimal, jwksUri: undefined, jwks: { keys: [] } }],
  'must not have both jwks and jwksUri': [{ ...minimal, jwks: { keys: [{ kty: 'RSA' }] } }],
  'needs jwks or jwksUri, or an issuer that is an https URL': [
    ...['http://id.example', 'https://id.example?a', 'https://id.example#a'],
  ].map(issuer => ({ issuer, audience: 'a' })),
  'cognitoUserPoolId must be like eu-central-1_AbCdEf123': [
    ...['', 'eu-central-1_', 'eu-central-1_a/b', 'evil.example/eu-central-1_a', 'EU-CENTRAL-1_A'],
  ].map(cognitoUserPoolId => ({ ...pool, cognitoUserPoolId })),
  ...Object.fromEntries(
    ['issuer', 'jwksUri', 'jwks', 'audience', 'typ', 'tokenUse'].map(name => [
      `${name} is unknown to an issuer with cognitoUserPoolId`,
      [{ ...pool, [name]: 'x' }],
    ]),
  ),
  'scopeClaims must name at least one claim': [{ ...minimal, scopeClaims: [] }],
  'scopeClaims.1 must not be empty': [{ ...pool, scopeClaims: ['roles', ''] }],
  'jwksUri must be an https URL without user info': [
    'http://id.example',
    'https:///id.example',
    'https://user@id.example',
    'https://id.example\\other.example',
    'https://id\t.example',
  ].map(jwksUri => ({ ...minimal, jwksUri })),
}
const rows = Object.entries(faults).flatMap(([fault, issuers]) => issuers.map(issuer => ({ fault, issuer })))

test.each(rows)('$fault: $issuer', ({ fault, issuer }) => expect(() => issuersOf(issuer)).toThrow(fault))

test.each(['https://id.example/@tenant/jwks', 'https://id.example:8443?p=a@b'])(
  'keys may be at %s',
  jwksUri => expect(issuersOf({ ...minimal, jwksUri })[0]).toMatchObject({ jwksUri }),
)

test.each([
  { issuer: 'urn:id', audience: 'a', jwks: { keys: [{ kty: 'RSA' }] } },
])('%j is valid', issuer => expect(issuersOf(issuer)).toHaveLength(1))

test('an issuer that is not an object is refused', () => {
  expect(() => issuersOf('https://id.example')).toThrow('ISSUERS.0 must be an object')
})

const document = readFileSync(new URL('../../infra/issuers.md', import.meta.url), 'utf8')
const examples = [...document.matchAll(/^```json\n(\[[\s\S]*?)^```$/gm)].map(([, json = '']) => json)

test('infra/issuers.md has the defaults', () => {
  const defaults = Object.entries(issuersOf(minimal)[0] ?? {}).filter(([name]) => !(name in minimal))
  for (const [name, value] of defaults) {
    const [, cell] = new RegExp(`^\\| \`${name}\` .*\\| (.+) \\|$`, 'm').exec(document) ?? []
    const [shown = ''] = cell?.match(/\[.*\]|[\w+]+/) ?? []
    expect(shown, name).toBe(typeof value === 'string' ? value : JSON.stringify(value).replaceAll(',', ', '))
  }
})

test('every example in infra/issuers.md is valid', () => {
  expect(examples.length).toBeGreaterThanOrEqual(5)
  for (const json of examples) expect(issuersOf(...JSON.parse(json))).toHaveLength(1)
})
