import { createHmac } from 'node:crypto'
import { type Alg, base64url, compact, type Signer } from '../signer.ts'
import {
  audience,
  body,
  good,
  head,
  issuer,
  parameter,
  part,
  parts,
  signerOf,
  type Vectors,
} from './fixtures.ts'
import { ec, ecBesideRsa, other, rs512 } from './issuers.ts'

const pem = good.publicKey.export({ format: 'pem', type: 'spki' })
const hmac = createHmac('sha256', pem).update(`${parts[0]}.${parts[1]}`).digest('base64url')
/** A token whose header names another key or algorithm than it is signed with. */
const mixed = (kid: string, alg: string, by: Signer, signed: Alg) =>
  compact({ ...head, kid, alg }, body, by.privateKey, signed)
const withSignature = (signature: string | Buffer) =>
  [...ec.sign().split('.').slice(0, 2), base64url(signature)].join('.')

/** Tokens that are refused only by the key lookup or the signature. */
export const forged: Vectors = {
  'another signature': part(2, each => (each[0] === 'A' ? 'B' : 'A') + each.slice(1)),
  'a signature of one byte': part(2, () => 'AA'),
  'a truncated signature': part(2, each => each.slice(0, -4)),
  'another payload': part(1, () => base64url({ ...body, sub: 'admin' })),
  'another header': part(0, () => base64url({ ...head, x: 1 })),
  'a key that only another issuer has': other.sign({ iss: issuer, aud: audience }),
  "the other issuer's token with our key": good.sign({ iss: 'https://b.example', aud: 'b' }),
  ...parameter('kid', 'key-2', 'KEY-1', 'key-1 ', '0', '../../dev/null', "' OR 1=1 --", 'x'.repeat(256)),
  ...parameter('kid', '__proto__', 'toString', 'hasOwnProperty'),
  'an unpublished key with the kid of another': signerOf('key-1').sign(),
  'an HMAC of the public key under the header of RS256': part(2, () => hmac),
  'RS512 under a key of RS256': mixed('key-1', 'RS512', good, 'RS512'),
  'RS256 under a key of RS512': mixed('rs512', 'RS256', rs512, 'RS256'),
  'RS256 with the ES256 key of the same kid': mixed('repeated', 'RS256', ecBesideRsa, 'ES256'),
  'ES256 under an RSA key': mixed('key-1', 'ES256', ec, 'ES256'),
  'RS256 under an EC key': mixed('ec', 'RS256', good, 'RS256'),
  'an EC signature under the RSA kid': mixed('key-1', 'RS256', ec, 'ES256'),
  'a signature of RS512 with alg RS256': mixed('key-1', 'RS256', good, 'RS512'),
  'a signature of RS256 with alg RS512': mixed('rs512', 'RS512', rs512, 'RS256'),
  'a malformed ES256 signature': withSignature(Buffer.of(0)),
  'an ES256 signature of zeros': withSignature(Buffer.alloc(64)),
  'an ES256 signature in DER': withSignature(der(Buffer.from(ec.sign().split('.')[2] ?? '', 'base64url'))),
}

function der(raw: Buffer): Buffer {
  const integer = (bytes: Buffer) => Buffer.from([2, bytes.length + 1, 0, ...bytes])
  const both = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))])
  return Buffer.from([0x30, both.length, ...both])
}
