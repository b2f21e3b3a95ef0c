import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import { sharedKeys } from '../shared-keys.ts'
import { base64url, signer } from '../signer.ts'
import { audience, body, clock, fromEach, signed, good, head, issuer, now, type Vectors } from './fixtures.ts'

const parts = good.sign().split('.')
const otherJwk = signer({ issuer, audience, nowMs: clock.nowMs, keys: sharedKeys('other') }).publicJwk
const hmac = (key: string | Buffer) => {
  const input = `${base64url({ ...head, alg: 'HS256' })}.${base64url(body)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}

/** Well-formed tokens whose header violates the issuer's policy. */
export const badHeader: Vectors = {
  'an HS256 token keyed with the PEM': hmac(good.publicKey.export({ format: 'pem', type: 'spki' })),
  'an HS256 token keyed with the trimmed PEM': hmac(
    good.publicKey.export({ format: 'pem', type: 'spki' }).toString().trim(),
  ),
  'an HS256 token keyed with the PKCS#1 PEM': hmac(good.publicKey.export({ format: 'pem', type: 'pkcs1' })),
  'an HS256 token keyed with the DER': hmac(good.publicKey.export({ format: 'der', type: 'spki' })),
  'an HS256 token keyed with the JWK': hmac(JSON.stringify(good.publicJwk)),
  'an HS256 token keyed with the modulus': hmac(Buffer.from(good.publicJwk.n as string, 'base64url')),
  ...fromEach(['none', 'None', 'NONE', 'nOnE', '', 'HS256', 'RS512', 'PS256', 'rs256', 'ES256'], alg => [
    `alg ${JSON.stringify(alg)}`,
    good.sign({}, { alg }),
  ]),
  ...fromEach([undefined, null, 1, ['RS256'], { RS256: 1 }], alg => [
    `alg ${JSON.stringify(alg)}`,
    good.sign({}, { alg }),
  ]),
  'alg none without a signature': `${base64url({ ...head, alg: 'none' })}.${parts[1]}.`,
  'alg only on the prototype': signed('{"__proto__":{"alg":"RS256"},"typ":"at+jwt","kid":"key-1"}', body),
  ...fromEach(
    [
      'JWT',
      'id_token',
      'at',
      'at+jwt ',
      'text/at+jwt',
      'application/application/at+jwt',
      '',
      undefined,
      null,
      1,
      ['at+jwt'],
    ],
    typ => [`typ ${JSON.stringify(typ)}`, good.sign({}, { typ })],
  ),
  crit: good.sign({}, { crit: ['exp'], exp: now }),
  'an empty crit': good.sign({}, { crit: [] }),
  'a crit of null': good.sign({}, { crit: null }),
  'b64 false': good.sign({}, { b64: false }),
  'b64 true': good.sign({}, { b64: true }),
  zip: good.sign({}, { zip: 'DEF' }),
  'an embedded key': good.sign({}, { jwk: otherJwk }),
  'a referenced key set': good.sign({}, { jku: 'https://evil.example/jwks' }),
  'a referenced certificate': good.sign({}, { x5u: 'https://evil.example/x5u' }),
  'an embedded certificate': good.sign({}, { x5c: ['MIIB'] }),
  ...fromEach(
    ['', 'k'.repeat(257), 'k'.repeat(5000), 'k'.repeat(10_240), undefined, null, 0, 7, ['key-1'], {}],
    kid => [`kid ${JSON.stringify(kid)?.slice(0, 20)} (${String(kid).length})`, good.sign({}, { kid })],
  ),
}
