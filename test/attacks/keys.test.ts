import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { base64url, compact, keyPair, signer } from '../auth/tokens.ts'
import { audience, body, clock, good, head, issuer } from '../auth/vectors/scene.ts'
import { answersTo, asTokens, invalidToken, refusesAll, service } from './refusals.ts'

const of = { issuer, audience, nowMs: clock.nowMs }
const ec = signer({ ...of, alg: 'ES256', kid: 'ec' })
const rs512 = signer({ ...of, alg: 'RS512', kid: 'rs512' })
const short = signer({ ...of, kid: 'short', keys: keyPair('RS256', 1024) })
const shorter = signer({ ...of, kid: 'shorter', keys: keyPair('RS256', 512) })
const twice = signer({ ...of, kid: 'twice' })
const encrypting = signer({ ...of, kid: 'encrypting' })
const decrypting = signer({ ...of, kid: 'decrypting' })
const published = signer({ ...of, kid: 'published' })
const unbound = signer({ ...of, kid: 'unbound' })
const secret = Buffer.from('a secret that somebody published').toString('base64url')
const proto = signer({ ...of, kid: '__proto__' })

/** The set of an issuer that publishes good keys and all that must not be used. */
const keys = [
  good.publicJwk,
  ec.publicJwk,
  rs512.publicJwk,
  short.publicJwk,
  shorter.publicJwk,
  twice.publicJwk,
  { ...good.publicJwk, kid: 'twice' },
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

test('a token of an unusable key is refused', async () => {
  const rows = {
    'a key of 1024 bits': short.sign(),
    'a key of 512 bits': shorter.sign(),
    'the first of two keys with one kid': twice.sign(),
    'the second of two keys with one kid': good.sign({}, { kid: 'twice' }),
    'a key for encryption': encrypting.sign(),
    'a key that may not verify': decrypting.sign(),
    'a key whose private half is published': published.sign(),
    'a key without alg, where two algorithms fit': unbound.sign(),
    'a key with exponent 1, signed by nobody': signedByNobody('exponent-1'),
    'a good key, signed by nobody': signedByNobody('key-1'),
    'a published secret': good.sign({}, { kid: 'secret' }),
    'a key for no signature': `${base64url({ ...head, kid: 'none', alg: 'none' })}.${base64url(body)}.`,
  }
  await refusesAll(await service(trusted), asTokens(rows), invalidToken)
})

test('a token whose algorithm is not that of its key is refused, though the issuer uses both', async () => {
  const rows = {
    'RS512 under a key of RS256': mixed('key-1', 'RS512', good, 'RS512'),
    'RS256 under a key of RS512': mixed('rs512', 'RS256', rs512),
    'ES256 under an RSA key': mixed('key-1', 'ES256', ec, 'ES256'),
    'RS256 under an EC key': mixed('ec', 'RS256'),
    'a signature of RS512 that says RS256': mixed('key-1', 'RS256', good, 'RS512'),
    'a signature of RS256 that says RS512': mixed('rs512', 'RS512', rs512, 'RS256'),
    'the EC key in DER': derSigned(),
  }
  await refusesAll(await service(trusted), asTokens(rows), invalidToken)
})

test('the good keys beside them work', async () => {
  const rows = { rsa: good.sign(), ec: ec.sign(), rs512: rs512.sign() }
  const answers = await answersTo(await service(trusted), asTokens(rows))
  for (const { status } of Object.values(answers)) expect(status).toBe(403)
})

test('a key whose kid is the name of a property of every object is found only where it is published', async () => {
  const publishing = await service({ ...trusted, jwks: { keys: [proto.publicJwk] } })
  for (const { status } of Object.values(await answersTo(publishing, asTokens({ proto: proto.sign() }))))
    expect(status).toBe(403)
  await refusesAll(await service(trusted), asTokens({ proto: proto.sign() }), invalidToken)
})

test('a token is held to the keys and the audience of its own issuer', async () => {
  const other = signer({ issuer: 'https://b.example', audience: 'b', nowMs: clock.nowMs })
  const both = [trusted, { issuer: 'https://b.example', audience: 'b', jwks: other.jwks }]
  const rows = {
    "the other's key": other.sign({ iss: issuer, aud: audience }),
    "the other's issuer": good.sign({ iss: 'https://b.example', aud: 'b' }),
    "the other's audience": other.sign({ aud: audience }),
    'both issuers': other.sign({ iss: ['https://b.example', issuer] }),
  }
  await refusesAll(await service(...both), asTokens(rows), invalidToken)
})

test('an ID token is refused, also by Amazon Cognito', async () => {
  const cognito = { issuer, jwks: good.jwks, tokenUse: 'access', clientIds: ['web'] }
  const scope = 'saml-providers:read saml-providers:delete'
  const id = { scope, nonce: 'n', at_hash: 'h' }
  const plain = {
    'its own type': good.sign(id, { typ: 'JWT' }),
    'no type': good.sign(id, { typ: undefined }),
  }
  await refusesAll(await service(trusted), asTokens(plain), invalidToken)
  const rows = {
    'for the client': good.sign({ ...id, aud: 'web', token_use: 'id' }),
    'that names the client': good.sign({ ...id, aud: 'web', client_id: 'web', token_use: 'id' }),
    'of no stated use': good.sign({ ...id, client_id: 'web' }),
    'an access token of another client': good.sign({ scope, client_id: 'Web', token_use: 'access' }),
  }
  await refusesAll(await service(cognito), asTokens(rows), invalidToken)
})

/** With exponent 1 the padded hash is its own signature (RFC 8017 §9.2). */
function signedByNobody(kid: string): string {
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
