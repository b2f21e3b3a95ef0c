import { createHash } from 'node:crypto'
import { describe, test } from 'vitest'
import { sharedKeys } from '../auth/token/shared-keys.ts'
import { base64url, compact, keyPair, signer } from '../auth/token/signer.ts'
import { audience, body, clock, good, head, issuer } from '../auth/token/vectors/fixtures.ts'
import { invalidToken, forbids, accepts, refuses } from './refusals.ts'
import { serviceFor } from './untouched.ts'

const of = { issuer, audience, nowMs: clock.nowMs, keys: sharedKeys('other') }
const ec = signer({ ...of, alg: 'ES256', kid: 'ec', keys: keyPair('ES256') })
const rs512 = signer({ ...of, alg: 'RS512', kid: 'rs512' })
const short = signer({ ...of, kid: 'short', keys: keyPair('RS256', 1024) })
const shorter = signer({ ...of, kid: 'shorter', keys: keyPair('RS256', 512) })
const twice = signer({ ...of, kid: 'twice' })
const repeated = signer({ ...of, kid: 'repeated' })
const ecBesideRsa = signer({ ...of, alg: 'ES256', kid: 'repeated', keys: keyPair('ES256') })
const encrypting = signer({ ...of, kid: 'encrypting' })
const decrypting = signer({ ...of, kid: 'decrypting' })
const published = signer({ ...of, kid: 'published' })
const unbound = signer({ ...of, kid: 'unbound' })
const secret = Buffer.from('a secret that somebody published').toString('base64url')
const proto = signer({ ...of, kid: '__proto__' })

/** The key set of an issuer with good keys and all kinds of keys that must not be used. */
const keys = [
  good.publicJwk,
  ec.publicJwk,
  rs512.publicJwk,
  short.publicJwk,
  shorter.publicJwk,
  twice.publicJwk,
  { ...good.publicJwk, kid: 'twice' },
  repeated.publicJwk,
  repeated.publicJwk,
  ecBesideRsa.publicJwk,
  { ...encrypting.publicJwk, use: 'enc' },
  { ...decrypting.publicJwk, key_ops: ['decrypt'] },
  { ...published.publicJwk, ...published.privateKey.export({ format: 'jwk' }) },
  { ...unbound.publicJwk, alg: undefined },
  { ...good.publicJwk, kid: 'exponent-1', e: 'AQ' },
  { kty: 'oct', kid: 'secret', alg: 'HS256', k: secret },
  { ...good.publicJwk, kid: 'none', alg: 'none' },
]
const trusted = { issuer, audience, jwks: { keys }, algorithms: ['RS256', 'RS512', 'ES256'] }

const mixed = (kid: string, alg: string, by = good, signed: Parameters<typeof compact>[3] = 'RS256') =>
  compact({ ...head, kid, alg }, body, by.privateKey, signed)

const service = serviceFor(trusted)

const unusable = {
  'a key of 1024 bits': short.sign(),
  'a key of 512 bits': shorter.sign(),
  'the first of two keys with one kid': twice.sign(),
  'the second of two keys with one kid': good.sign({}, { kid: 'twice' }),
  'a key for encryption': encrypting.sign(),
  'a key without the operation verify': decrypting.sign(),
  'a published private key': published.sign(),
  'a key without alg that fits two algorithms': unbound.sign(),
  'a key with exponent 1, without the private key,': signedWithoutKey('exponent-1'),
  'a good key, without the private key,': signedWithoutKey('key-1'),
  'a published symmetric key': good.sign({}, { kid: 'secret' }),
  'a key with the algorithm none': `${base64url({ ...head, kid: 'none', alg: 'none' })}.${base64url(body)}.`,
  'an unpublished key whose kid is the name of a property of every object': proto.sign(),
}

test.each(Object.entries(unusable))('a token of %s is refused', async (_, token) => {
  await refuses(service(), { token }, invalidToken)
})

const mismatched = {
  'RS512 under a key of RS256': mixed('key-1', 'RS512', good, 'RS512'),
  'RS256 under a key of RS512': mixed('rs512', 'RS256', rs512),
  'ES256 with the RS256 key of the same kid': mixed('repeated', 'ES256', repeated),
  'RS256 with the ES256 key of the same kid': mixed('repeated', 'RS256', ecBesideRsa, 'ES256'),
  'ES256 under an RSA key': mixed('key-1', 'ES256', ec, 'ES256'),
  'RS256 under an EC key': mixed('ec', 'RS256'),
  'a signature of RS512 with alg RS256': mixed('key-1', 'RS256', good, 'RS512'),
  'a signature of RS256 with alg RS512': mixed('rs512', 'RS512', rs512, 'RS256'),
  'a signature of the EC key in DER': derSigned(),
}

test.each(Object.entries(mismatched))('%s is refused, although the issuer uses both', async (_, token) => {
  await refuses(service(), { token }, invalidToken)
})

const usable = {
  'of RS256': good.sign(),
  'of ES256': ec.sign(),
  'of RS512': rs512.sign(),
  'that is published twice': repeated.sign(),
  'of ES256 beside one of RS256 under the same kid': ecBesideRsa.sign(),
}

test.each(Object.entries(usable))('a token of the good key %s is accepted', async (_, token) => {
  await forbids(service(), { token })
})

describe('a published key whose kid is the name of a property of every object', () => {
  const publishing = serviceFor({ ...trusted, jwks: { keys: [proto.publicJwk] } })

  test('is found', async () => {
    await forbids(publishing(), { token: proto.sign() })
  })
})

describe('with two issuers', () => {
  const other = signer({ ...of, issuer: 'https://b.example', audience: 'b' })
  const both = serviceFor(trusted, { issuer: 'https://b.example', audience: 'b', jwks: other.jwks })
  const mixedUp = {
    "the other's key": other.sign({ iss: issuer, aud: audience }),
    "the other's issuer": good.sign({ iss: 'https://b.example', aud: 'b' }),
    "the other's audience": other.sign({ aud: audience }),
    'both issuers': other.sign({ iss: ['https://b.example', issuer] }),
  }

  test.each(Object.entries(mixedUp))('a token of one with %s is refused', async (_, token) => {
    await refuses(both(), { token }, invalidToken)
  })

  test.each(Object.entries({ first: good.sign(), second: other.sign() }))(
    'the %s is verified with its own keys and audience',
    async (_, token) => {
      await forbids(both(), { token })
    },
  )
})

const scope = 'saml-providers:read saml-providers:delete'
const id = { scope, nonce: 'n', at_hash: 'h' }

test.each(Object.entries({ 'type JWT': 'JWT', 'no type': undefined }))(
  'an ID token with %s is refused',
  async (_, typ) => {
    await refuses(service(), { token: good.sign(id, { typ }) }, invalidToken)
  },
)

describe('with the rules for Amazon Cognito', () => {
  const cognito = serviceFor({ issuer, jwks: good.jwks, tokenUse: 'access', clientIds: ['web'] })
  const access = { scope, aud: undefined, client_id: 'web', token_use: 'access' }
  const foreign = {
    'an ID token for the client': good.sign({ ...id, aud: 'web', token_use: 'id' }),
    'an ID token that names the client': good.sign({ ...id, aud: 'web', client_id: 'web', token_use: 'id' }),
    'an ID token without token_use': good.sign({ ...id, client_id: 'web' }),
    'an access token of another client': good.sign({ ...access, client_id: 'Web' }),
  }

  test.each(Object.entries(foreign))('%s is refused', async (_, token) => {
    await refuses(cognito(), { token }, invalidToken)
  })

  test('an access token of the client is accepted', async () => {
    await accepts(cognito(), { token: good.sign(access) })
  })
})

/** A token whose signature is the padded hash, which is valid for exponent 1 (RFC 8017 §9.2). */
function signedWithoutKey(kid: string): string {
  const input = `${base64url({ ...head, kid })}.${base64url(body)}`
  const sha256 = Buffer.from('3031300d060960864801650304020105000420', 'hex')
  const tail = Buffer.concat([Buffer.of(0), sha256, createHash('sha256').update(input).digest()])
  const padded = Buffer.concat([Buffer.of(0, 1), Buffer.alloc(256 - 2 - tail.length, 0xff), tail])
  return `${input}.${base64url(padded)}`
}

function derSigned(): string {
  const [header, claims, signature = ''] = ec.sign().split('.')
  const raw = Buffer.from(signature, 'base64url')
  const integer = (bytes: Buffer) => Buffer.from([2, bytes.length + 1, 0, ...bytes])
  const both = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))])
  return `${header}.${claims}.${base64url(Buffer.from([0x30, both.length, ...both]))}`
}
