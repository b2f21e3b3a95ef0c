import { expect, test } from 'vitest'
import { issuersOf } from './issuers.ts'
import type { Members } from './tokens.ts'

const least = { issuer: 'https://id.example', audience: 'a', jwksUri: 'https://id.example/jwks' }
const client = { ...least, audience: undefined, tokenUse: 'access', clientIds: ['c'] }

test('an issuer needs little; the rest has strict defaults', () => {
  expect(issuersOf(least)).toEqual([
    {
      ...least,
      algorithms: ['RS256'],
      typ: 'at+jwt',
      subjectClaim: 'sub',
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

const faults: { name: string; issuer: Members; fault: string }[] = [
  {
    name: 'neither audience nor clientIds',
    issuer: { ...least, audience: undefined },
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
  { name: 'an empty audience', issuer: { ...least, audience: '' }, fault: 'audience must not be empty' },
  { name: 'a setting nobody knows', issuer: { ...least, algorithm: 'RS256' }, fault: 'algorithm is unknown' },
  {
    name: 'two sources of keys',
    issuer: { ...least, jwks: { keys: [{ kty: 'RSA' }] } },
    fault: 'needs either jwks or jwksUri',
  },
  {
    name: 'no source of keys',
    issuer: { ...least, jwksUri: undefined },
    fault: 'needs either jwks or jwksUri',
  },
  {
    name: 'keys over plain http',
    issuer: { ...least, jwksUri: 'http://id.example' },
    fault: 'jwksUri must be an https URL',
  },
  {
    name: 'a hard age below the age of renewal',
    issuer: { ...least, keysMaxAgeSeconds: 600, keysStaleMaxSeconds: 599 },
    fault: 'keysStaleMaxSeconds must not be less than keysMaxAgeSeconds',
  },
]

test.each(faults)('$name is refused by name', ({ issuer, fault }) => {
  expect(() => issuersOf(issuer)).toThrow(fault)
})

test('an issuer that is no object is refused', () => {
  expect(() => issuersOf('https://id.example')).toThrow('ISSUERS.0 must be an object')
})
