import { expect, test } from 'vitest'
import { issuersOf } from './issuers.ts'
import type { Members } from './token/signer.ts'

const minimal = { issuer: 'https://id.example', audience: 'a', jwksUri: 'https://id.example/jwks' }
const client = { ...minimal, audience: undefined, clientIds: ['c'] }

test('the optional settings of an issuer have defaults', () => {
  expect(issuersOf(minimal)).toEqual([
    {
      ...minimal,
      algorithms: ['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA'],
      subjectClaim: 'sub',
      scopeClaims: ['scope', 'scp', 'permissions'],
    },
  ])
})

/** By the message of the refusal, the configurations that get it. */
const faults: Record<string, Members[]> = {
  'needs audience or, for Amazon Cognito, clientIds': [{ ...minimal, audience: undefined }],
  'clientIds must not be empty': [{ ...client, clientIds: [] }],
  'audience must not be empty': [{ ...minimal, audience: '' }],
  'algorithm is unknown': [{ ...minimal, algorithm: 'RS256' }],
  'algorithms must be a list': [{ ...minimal, algorithms: 'RS256' }],
  'algorithms must not be empty': [{ ...minimal, algorithms: [] }],
  'algorithms.1 must be one of RS256, RS384, RS512, ES256, ES384, ES512, EdDSA': [
    ...['PS256', 'HS256', 'none', 7],
  ].map(alg => ({ ...minimal, algorithms: ['RS256', alg] })),
  'audience must be a text, or a list of texts': [{ ...minimal, audience: 7 }],
  'typ must be at+jwt': ['JWT', null, 7].map(typ => ({ ...minimal, typ })),
  'subjectClaim must not be empty': ['', []].map(subjectClaim => ({ ...minimal, subjectClaim })),
  'jwks must be an object': [{ ...minimal, jwks: 7 }],
  'jwks.keys must not be empty': [{ ...minimal, jwksUri: undefined, jwks: { keys: [] } }],
  'must not have both jwks and jwksUri': [{ ...minimal, jwks: { keys: [{ kty: 'RSA' }] } }],
  'needs jwks or jwksUri, or an issuer that is an https URL': [
    ...['http://id.example', 'https://id.example?a', 'https://id.example#a'],
  ].map(issuer => ({ issuer, audience: 'a' })),
  'scopeClaims must not be empty': [{ ...minimal, scopeClaims: [] }],
  'scopeClaims.1 must not be empty': [{ ...client, scopeClaims: ['roles', ''] }],
  'jwksUri must be an https URL without user info': [
    'http://id.example',
    'https:///id.example',
    'https://user@id.example',
    'https://id.example\\other.example',
    'https://id\t.example',
  ].map(jwksUri => ({ ...minimal, jwksUri })),
}

const rows = Object.entries(faults).flatMap(([fault, issuers]) => issuers.map(issuer => ({ fault, issuer })))

test.each(rows)('an issuer is refused: $fault: $issuer', ({ fault, issuer }) =>
  expect(() => issuersOf(issuer)).toThrow(fault),
)

test.each(['https://id.example/@tenant/jwks', 'https://id.example:8443?p=a@b'])(
  'the keys of an issuer may be at %s',
  jwksUri => {
    expect(issuersOf({ ...minimal, jwksUri })[0]).toMatchObject({ jwksUri })
  },
)

test('an issuer may have any name when its keys are inlined', () => {
  const issuer = { issuer: 'urn:id', audience: 'a', jwks: { keys: [{ kty: 'RSA' }] } }
  expect(issuersOf(issuer)).toHaveLength(1)
})

test('an issuer that is no object, or is listed twice, is refused', () => {
  expect(() => issuersOf('https://id.example')).toThrow('ISSUERS.0 must be an object')
  expect(() => issuersOf(minimal, { ...client, issuer: minimal.issuer })).toThrow('twice')
})
