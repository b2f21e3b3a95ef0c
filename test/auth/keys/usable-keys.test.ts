import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { usableKeys } from '../../../lib/auth/keys/usable-keys.ts'
import { tokenVerifier } from '../../../lib/auth/verifier.ts'
import { issuersOf, keyPorts } from '../issuers.ts'
import { type Alg, type Members, keyPair, sharedKeys, signer } from '../token/signer.ts'

const any = { issuer: 'https://id.example', audience: 'a', nowMs: () => 0 }
const rsaSigner = signer({ ...any, keys: sharedKeys('trusted') })
const rsa: Members = { ...rsaSigner.publicJwk }
const ecSigner = signer({ ...any, alg: 'ES256' })
const ec: Members = { ...ecSigner.publicJwk }
const p384: Members = { ...signer({ ...any, alg: 'ES384' }).publicJwk }
const ed: Members = { ...signer({ ...any, alg: 'EdDSA' }).publicJwk }
const ed448 = generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' })
const privateRsa: Members = { ...rsa, ...rsaSigner.privateKey.export({ format: 'jwk' }) }
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

const oct = { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256', kid: 'key-1' }
const encrypting: Members = { use: 'enc' }

const usable: Record<string, unknown> = {
  'an RSA key of 2048 bits': rsa,
  'an EC key': ec,
  'an Ed25519 key': ed,
  'a key without use': { ...rsa, use: undefined },
  'a key with the operation verify': { ...rsa, key_ops: ['verify'] },
  'an exponent of 2^32 - 1': exponent('ffffffff'),
  'an EC key whose coordinates begin with zeros': zeros,
  'an EC key whose x lacks its leading zero': { ...zeros, x: shortened(zeros.x) },
  'an EC key whose y has an additional zero': { ...ec, y: lengthened(ec.y) },
}
const unusable: Record<string, unknown> = {
  'an EC key without y': { ...ec, y: undefined },
  ...Object.fromEntries(
    ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].map(name => [
      `a key with ${name}`,
      { ...rsa, [name]: null },
    ]),
  ),
  'a private key': privateRsa,
  'an exponent above 2^32': exponent('0100000001'),
  'an exponent of 65535': exponent('ffff'),
  'an exponent of 1': exponent('01'),
  'an even exponent': exponent('010002'),
  'an RSA key of 2047 bits': rsaOf(2047),
  'a key for encryption': { ...rsa, ...encrypting },
  'a key whose use is null': { ...rsa, use: null },
  'a key with the operation encrypt': { ...rsa, key_ops: ['encrypt'] },
  'key_ops in a string': { ...rsa, key_ops: 'verify' },
  'a key whose alg is null': { ...rsa, alg: null },
  'a key of an algorithm that is not allowed': { ...rsa, alg: 'RS512' },
  'an RSA key for EdDSA that names a curve': { ...rsa, alg: 'EdDSA', crv: 'Ed25519' },
  'an EC key for RS256': { ...ec, alg: 'RS256' },
  'an EC key of another curve': { ...p384, alg: 'ES256' },
  'an Ed448 key': { ...ed448, kid: 'key-1', alg: 'EdDSA' },
  'a symmetric key': oct,
  'a kid that is a number': { ...rsa, kid: 1 },
  'a modulus that is a number': { ...rsa, n: 1 },
  'a point off the curve': { ...ec, y: ec.x },
  null: null,
}

const namesOf = (keys: unknown[], allowed = algorithms) => [...usableKeys({ keys }, allowed).keys()]
const second = { ...ec, kid: 'second' }

test.each(Object.entries(usable))('%s is usable', (_, jwk) => {
  expect(namesOf([jwk, second])).toEqual([expect.stringMatching(/^\w+ key-1$/), 'ES256 second'])
})

test.each(Object.entries(unusable))('%s is not usable', (_, jwk) => {
  expect(namesOf([jwk, second])).toEqual(['ES256 second'])
})

test.each<[string, Members, Alg[], Alg | undefined]>([
  ['an RSA key', rsa, ['ES256', 'RS512', 'EdDSA'], 'RS512'],
  ['an RSA key', rsa, ['RS256', 'RS512'], undefined],
  ['an RSA key that names a curve', { ...rsa, crv: 'P-256' }, ['RS256'], undefined],
  ['a P-256 key', ec, ['RS256', 'ES256', 'ES384'], 'ES256'],
  ['a weak key', rsaOf(1024), ['RS256'], undefined],
])('%s without alg is bound to the only allowed algorithm that fits it: %#', (_, jwk, allowed, bound) => {
  expect(namesOf([{ ...jwk, alg: undefined }], allowed)).toEqual(bound ? [`${bound} key-1`] : [])
})

test.each<[string, Members, boolean]>([
  ['the same key without alg', { ...rsa, alg: undefined, x5t: 'a' }, true],
  ['the same key, written with a leading zero', { ...rsa, n: lengthened(rsa.n) }, true],
  ['another key for signatures', otherRsa, false],
  ['a weak key', rsaOf(1024), false],
  ['its private key', privateRsa, false],
  ['a key for encryption', { ...otherRsa, ...encrypting }, true],
  ['a key of an algorithm that is not allowed', { ...otherRsa, alg: 'RS512' }, true],
])('beside %s under the same kid, a key is usable: %#', (_, jwk, isUsable) => {
  for (const keys of [
    [rsa, jwk],
    [jwk, rsa],
  ])
    expect(namesOf(keys)).toEqual(isUsable ? ['RS256 key-1'] : [])
})

test.each([undefined, Object.assign([], { keys: [rsa] }), { keys: {} }])('%j is not a key set', value => {
  expect(() => usableKeys(value, algorithms)).toThrow('not a key set')
})

test('inline jwks without a usable key are refused', () => {
  const issuers = issuersOf({ issuer: 'https://id.example', audience: 'a', jwks: { keys: [oct] } })
  expect(() => tokenVerifier(issuers, keyPorts())).toThrow('no usable key in the jwks of https://id.example')
})
