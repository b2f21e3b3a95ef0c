import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { keySet } from '../../../lib/auth/keys/key-set.ts'
import { usableKeys } from '../../../lib/auth/keys/usable-keys.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { policyOf } from '../issuers.ts'
import { sharedKeys } from '../token/shared-keys.ts'
import { type Alg, keyPair, type Members, signer } from '../token/signer.ts'

const any = { issuer: 'https://id.example', audience: 'a', nowMs: () => 0 }
const rsaSigner = signer({ ...any, keys: sharedKeys('trusted') })
const rsa: Members = { ...rsaSigner.publicJwk }
const ec: Members = { ...signer({ ...any, alg: 'ES256' }).publicJwk }
const p384: Members = { ...signer({ ...any, alg: 'ES384' }).publicJwk }
const ed: Members = { ...signer({ ...any, alg: 'EdDSA' }).publicJwk }
const ed448 = generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' })
const rsaOf = (bits: number, e?: number): Members => ({
  ...rsa,
  ...keyPair('RS256', bits, e).publicKey.export({ format: 'jwk' }),
})
const bytesOf = (part: unknown) => Buffer.from(String(part), 'base64url')
const shortened = (part: unknown) => bytesOf(part).subarray(1).toString('base64url')
const lengthened = (part: unknown) => Buffer.concat([Buffer.of(0), bytesOf(part)]).toString('base64url')
/** The P-256 key of the private number 49,350, whose coordinates begin with a zero byte. */
const zeros: Members = {
  ...ec,
  x: 'ACBiT32ylIIMMaIbEKJujhkFPYFHR6b3oOiRa-IpmbU',
  y: 'AOon8vj6IRHZ23OPzZzn6Se6US8g_p8MWqQJnBvYUAI',
}
const otherRsa: Members = { ...rsa, ...sharedKeys('other').publicKey.export({ format: 'jwk' }) }
const exponent = (hex: string): Members => ({ ...rsa, e: Buffer.from(hex, 'hex').toString('base64url') })
const algorithms: Alg[] = ['RS256', 'ES256', 'EdDSA']

const rows: { name: string; jwk: unknown; usable: boolean }[] = [
  { name: 'an RSA key of 2048 bits', jwk: rsa, usable: true },
  { name: 'an EC key', jwk: ec, usable: true },
  { name: 'an Ed25519 key', jwk: ed, usable: true },
  { name: 'a key without use', jwk: { ...rsa, use: undefined }, usable: true },
  { name: 'a key with the operation verify', jwk: { ...rsa, key_ops: ['verify'] }, usable: true },
  { name: 'a key with unknown members', jwk: { ...rsa, x5t: 'a', note: {} }, usable: true },
  { name: 'an exponent of 2^32 - 1', jwk: exponent('ffffffff'), usable: true },
  { name: 'an exponent above 2^32', jwk: exponent('0100000001'), usable: false },
  { name: 'an exponent of 65535', jwk: exponent('ffff'), usable: false },
  { name: 'an exponent of 3', jwk: rsaOf(2048, 3), usable: false },
  { name: 'an exponent of 1', jwk: exponent('01'), usable: false },
  { name: 'an even exponent', jwk: exponent('010002'), usable: false },
  { name: 'an RSA key of 2047 bits', jwk: rsaOf(2047), usable: false },
  { name: 'an RSA key of 1024 bits', jwk: rsaOf(1024), usable: false },
  { name: 'an RSA key of 512 bits', jwk: rsaOf(512), usable: false },
  { name: 'a key for encryption', jwk: { ...rsa, use: 'enc' }, usable: false },
  { name: 'a key whose use is null', jwk: { ...rsa, use: null }, usable: false },
  { name: 'a key with the operation encrypt', jwk: { ...rsa, key_ops: ['encrypt'] }, usable: false },
  { name: 'a key without operations', jwk: { ...rsa, key_ops: [] }, usable: false },
  { name: 'key_ops in a string', jwk: { ...rsa, key_ops: 'verify' }, usable: false },
  { name: 'a key whose alg is null', jwk: { ...rsa, alg: null }, usable: false },
  { name: 'a key of an algorithm that is not allowed', jwk: { ...rsa, alg: 'RS512' }, usable: false },
  { name: 'an RSA key for ES256', jwk: { ...rsa, alg: 'ES256' }, usable: false },
  {
    name: 'an RSA key for ES256 that names a curve',
    jwk: { ...rsa, alg: 'ES256', crv: 'P-256' },
    usable: false,
  },
  { name: 'an EC key for RS256', jwk: { ...ec, alg: 'RS256' }, usable: false },
  { name: 'an EC key for EdDSA', jwk: { ...ec, alg: 'EdDSA' }, usable: false },
  {
    name: 'an EC key of another curve',
    jwk: { ...p384, alg: 'ES256' },
    usable: false,
  },
  { name: 'an Ed448 key', jwk: { ...ed448, kid: 'key-1', alg: 'EdDSA' }, usable: false },
  { name: 'a symmetric key', jwk: { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256', kid: 'key-1' }, usable: false },
  {
    name: 'a private key',
    jwk: { ...rsa, ...rsaSigner.privateKey.export({ format: 'jwk' }) },
    usable: false,
  },
  ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].flatMap(name =>
    [rsa, ec, ed].map(jwk => ({
      name: `a key of type ${jwk.kty} with ${name}`,
      jwk: { ...jwk, kid: 'key-1', [name]: null },
      usable: false,
    })),
  ),
  { name: 'a key without kid', jwk: { ...rsa, kid: undefined }, usable: false },
  { name: 'a kid that is a number', jwk: { ...rsa, kid: 1 }, usable: false },
  { name: 'a key without modulus', jwk: { ...rsa, n: undefined }, usable: false },
  { name: 'a modulus that is a number', jwk: { ...rsa, n: 1 }, usable: false },
  { name: 'a point off the curve', jwk: { ...ec, y: ec.x }, usable: false },
  ...['x', 'y'].flatMap(name => [
    {
      name: `an EC key whose ${name} lacks its leading zero`,
      jwk: { ...zeros, [name]: shortened(zeros[name]) },
      usable: false,
    },
    {
      name: `an EC key whose ${name} has an additional zero`,
      jwk: { ...ec, [name]: lengthened(ec[name]) },
      usable: false,
    },
    { name: `an EC key without ${name}`, jwk: { ...ec, [name]: undefined }, usable: false },
    { name: `an EC key whose ${name} is padded`, jwk: { ...ec, [name]: `${ec[name]}=` }, usable: false },
  ]),
  { name: 'an EC key whose coordinates begin with zeros', jwk: zeros, usable: true },
  { name: 'null', jwk: null, usable: false },
  { name: 'a string', jwk: 'key-1', usable: false },
  { name: 'an array', jwk: [rsa], usable: false },
]

test.each(rows)('$name is usable: $usable', ({ jwk, usable }) => {
  const other = { ...ec, kid: 'other' }
  const names = usableKeys({ keys: [jwk, other] }, algorithms).keys()
  const named = [...names].map(name => name.split(' ')[1])
  expect(named).toEqual(usable ? ['key-1', 'other'] : ['other'])
})

const withoutAlg: { name: string; jwk: Members; allowed: Alg[]; bound: Alg | undefined }[] = [
  { name: 'an RSA key', jwk: rsa, allowed: ['RS256'], bound: 'RS256' },
  { name: 'an RSA key', jwk: rsa, allowed: ['ES256', 'RS512', 'EdDSA'], bound: 'RS512' },
  { name: 'an RSA key', jwk: rsa, allowed: ['RS256', 'RS512'], bound: undefined },
  { name: 'an RSA key', jwk: rsa, allowed: ['ES256', 'EdDSA'], bound: undefined },
  {
    name: 'an RSA key that names a curve',
    jwk: { ...rsa, crv: 'P-256' },
    allowed: ['RS256'],
    bound: undefined,
  },
  { name: 'a P-256 key', jwk: ec, allowed: ['RS256', 'ES256', 'ES384'], bound: 'ES256' },
  { name: 'a P-256 key', jwk: ec, allowed: ['ES384'], bound: undefined },
  { name: 'an Ed25519 key', jwk: ed, allowed: ['EdDSA'], bound: 'EdDSA' },
  { name: 'a key for encryption', jwk: { ...rsa, use: 'enc' }, allowed: ['RS256'], bound: undefined },
  { name: 'a weak key', jwk: rsaOf(1024), allowed: ['RS256'], bound: undefined },
]

test.each(withoutAlg)(
  '$name without alg, with the allowed algorithms $allowed, is bound to $bound',
  ({ jwk, allowed, bound }) => {
    const keys = usableKeys({ keys: [{ ...jwk, alg: undefined }] }, allowed)
    expect([...keys.keys()]).toEqual(bound === undefined ? [] : [`${bound} key-1`])
  },
)

const duplicates: { name: string; jwk: Members; usable: boolean }[] = [
  { name: 'the same key', jwk: rsa, usable: true },
  { name: 'the same key without alg', jwk: { ...rsa, alg: undefined, x5t: 'a' }, usable: true },
  { name: 'the same key, written with a leading zero', jwk: { ...rsa, n: lengthened(rsa.n) }, usable: true },
  { name: 'another key for signatures', jwk: otherRsa, usable: false },
  { name: 'a weak key', jwk: rsaOf(1024), usable: false },
  {
    name: 'its private key',
    jwk: { ...rsa, ...rsaSigner.privateKey.export({ format: 'jwk' }) },
    usable: false,
  },
  { name: 'a key for encryption', jwk: { ...otherRsa, use: 'enc' }, usable: true },
  { name: 'a key with the operation encrypt', jwk: { ...otherRsa, key_ops: ['encrypt'] }, usable: true },
  { name: 'a key of a type that is not allowed', jwk: { ...p384, alg: undefined }, usable: true },
  { name: 'a key of an algorithm that is not allowed', jwk: { ...otherRsa, alg: 'RS512' }, usable: true },
  { name: 'a symmetric key', jwk: { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256', kid: 'key-1' }, usable: true },
]

test.each(duplicates)(
  'together with $name under the same kid, a key is usable: $usable',
  ({ jwk, usable }) => {
    for (const keys of [
      [rsa, jwk],
      [jwk, rsa],
    ])
      expect([...usableKeys({ keys }, algorithms).keys()]).toEqual(usable ? ['RS256 key-1'] : [])
  },
)

test('keys of several algorithms under the same kid are usable, each for its own', () => {
  const keys = [rsa, ec, { ...otherRsa, alg: 'RS512' }]
  const names = usableKeys({ keys }, ['RS256', 'RS512', 'ES256']).keys()
  expect([...names]).toEqual(['RS256 key-1', 'ES256 key-1', 'RS512 key-1'])
})

test.each([undefined, null, 'x', {}, Object.assign([], { keys: [rsa] }), { keys: {} }, { keys: null }])(
  '%j is not a key set',
  value => {
    expect(() => usableKeys(value, algorithms)).toThrow('not a key set')
  },
)

test('inline jwks without a usable key are refused', () => {
  const issuer = policyOf({ issuer: 'https://id.example', audience: 'a', jwks: { keys: [ec] } })
  expect(() => keySet(issuer, fakeClock(), async () => ({}))).toThrow(
    'no usable key in the jwks of https://id.example',
  )
})
