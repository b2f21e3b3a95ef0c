import { createHmac } from 'node:crypto'
import { base64url } from '../signer.ts'
import { body, good, head, now, parameter, parts, signed, type Vectors } from './fixtures.ts'
import { other, untypedToken } from './issuers.ts'

const hs256 = (key: string | Buffer) => {
  const input = `${base64url({ ...head, alg: 'HS256' })}.${base64url(body)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}
const pem = good.publicKey.export({ format: 'pem', type: 'spki' }).toString()

/** Well-formed tokens whose header violates the issuer's policy. */
export const badHeader: Vectors = {
  'an HS256 token keyed with the PEM': hs256(pem),
  'an HS256 token keyed with the trimmed PEM': hs256(pem.trim()),
  'an HS256 token keyed with the PKCS#1 PEM': hs256(good.publicKey.export({ format: 'pem', type: 'pkcs1' })),
  'an HS256 token keyed with the DER': hs256(good.publicKey.export({ format: 'der', type: 'spki' })),
  'an HS256 token keyed with the JWK': hs256(JSON.stringify(good.publicJwk)),
  'an HS256 token keyed with the modulus': hs256(Buffer.from(String(good.publicJwk.n), 'base64url')),
  'a published symmetric key': good.sign({}, { kid: 'secret', alg: 'HS256' }),
  'alg none without a signature': `${base64url({ ...head, alg: 'none' })}.${parts[1]}.`,
  'alg only on the prototype': signed('{"__proto__":{"alg":"RS256"},"typ":"at+jwt","kid":"key-1"}', body),
  ...parameter('alg', 'none', 'None', 'NONE', 'nOnE', '', 'HS256', 'RS384', 'PS256', 'rs256', 'EdDSA'),
  ...parameter('alg', undefined, null, 1, ['RS256'], { RS256: 1 }),
  ...parameter('typ', 'JWT', 'id_token', 'at', 'at+jwt ', 'text/at+jwt', 'application/application/at+jwt'),
  ...parameter('typ', 'at+application/jwt', '', undefined, null, 1, ['at+jwt']),
  'at+jwt of an issuer that does not mark its tokens': untypedToken({ typ: 'at+jwt' }),
  'an empty typ of an issuer that does not mark its tokens': untypedToken({ typ: '' }),
  'a typ of null of an issuer that does not mark its tokens': untypedToken({ typ: null }),
  ...parameter('crit', ['exp'], [], null),
  'a crit that is understood': good.sign({}, { crit: ['exp'], exp: now }),
  ...parameter('b64', false, true),
  ...parameter('zip', 'DEF'),
  ...parameter('jwk', other.publicJwk),
  ...parameter('jku', 'https://evil.example/jwks'),
  ...parameter('x5u', 'https://evil.example/x5u'),
  ...parameter('x5c', ['MIIB']),
  ...parameter('kid', '', 'k'.repeat(257), 'k'.repeat(5000), undefined, null, 0, 7, ['key-1'], {}),
}
