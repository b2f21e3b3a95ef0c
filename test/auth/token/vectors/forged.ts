import { createHmac } from 'node:crypto'
import { sharedKeys } from '../shared-keys.ts'
import { base64url, compact, keyPair, signer } from '../signer.ts'
import { audience, body, clock, fromEach, good, head, issuer, part, type Vectors } from './fixtures.ts'

const other = signer({ issuer, audience, nowMs: clock.nowMs, keys: sharedKeys('other') })
const publicKey = good.publicKey.export({ format: 'pem', type: 'spki' })
const [header, claims] = good.sign().split('.')
const hmac = createHmac('sha256', publicKey).update(`${header}.${claims}`).digest('base64url')

/** Tokens that are refused only by the key lookup or the signature. */
export const forged: Vectors = {
  'another signature': part(2, each => (each[0] === 'A' ? 'B' : 'A') + each.slice(1)),
  'a signature of one byte': part(2, () => 'AA'),
  'a truncated signature': part(2, each => each.slice(0, -4)),
  'another payload': part(1, () => base64url({ ...body, sub: 'admin' })),
  'another header': part(0, () => base64url({ ...head, x: 1 })),
  'a signature of another key': other.sign(),
  'an unknown kid': good.sign({}, { kid: 'key-2' }),
  ...fromEach(
    [
      '../../dev/null',
      "' OR 1=1 --",
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '0',
      'KEY-1',
      'key-1 ',
      'k'.repeat(256),
    ],
    kid => [`kid ${kid.slice(0, 20)}`, good.sign({}, { kid })],
  ),
  'an HMAC of the public key under the header of RS256': part(2, () => hmac),
  'an EC signature under the RSA kid': compact(head, body, keyPair('ES256').privateKey, 'ES256'),
  'another hash than that of alg': compact(head, body, good.privateKey, 'RS512'),
}
