import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import { type Alg, type Signer, base64url, compact } from '../signer.ts'
import {
  type Vectors,
  audience,
  body,
  claim,
  cognitoToken,
  ec,
  ecBesideRsa,
  good,
  head,
  issuer,
  namedToken,
  nested,
  now,
  ofLength,
  other,
  parameter,
  part,
  parts,
  rs512,
  signed,
  signerOf,
  text,
  untypedToken,
  valuesOf,
} from './fixtures.ts'

/** Tokens whose format is invalid. */
export const badFormat: Vectors = {
  'an empty token': '',
  'one part': 'abc',
  'two parts': parts.slice(0, 2).join('.'),
  'four parts': `${parts.join('.')}.${parts[2]}`,
  'an empty header': part(0, () => ''),
  'an empty payload': part(1, () => ''),
  'an empty signature': part(2, () => ''),
  'a padded header': part(0, each => `${each}=`),
  'a padded payload': part(1, each => `${each}==`),
  'a padded signature': part(2, each => `${each}==`),
  'spare bits in the signature': part(2, spareBit),
  'base64 instead of base64url': part(2, each => `${each.slice(0, -4)}+/Aw`),
  'a blank inside': part(1, each => `${each.slice(0, 5)} ${each.slice(5)}`),
  'a line break at the end': `${parts.join('.')}\n`,
  'a token over 8192 bytes': ofLength(8193),
  'a token of 1 MB': ofLength(1_000_000),
  'a header that is not JSON': signed('{alg}', body),
  'a payload that is not JSON': signed(head, '{"iss"'),
  'a header that is an array': signed('[]', body),
  'a header that is null': signed('null', body),
  'a payload that is an array': signed(head, '[]'),
  'a payload that is null': signed(head, 'null'),
  'a payload that is a string': signed(head, '"x"'),
  'a byte order mark before the payload': signed(head, `\uFEFF${text(body)}`),
  'a payload that is not UTF-8': signed(head, Buffer.from(text(body, ',"x":"\xff"'), 'latin1')),
  'a header that is not UTF-8': signed(Buffer.from(text(head, ',"x":"\xff"'), 'latin1'), body),
  'an overlong UTF-8 sequence': signed(head, Buffer.from(text(body, ',"x":"\xc0\xaf"'), 'latin1')),
  'a header member twice': signed(text(head, ',"alg":"RS256"'), body),
  'a claim twice': signed(head, text(body, ',"sub":"machine"')),
  'a claim twice, once with an escaped name': signed(head, text(body, ',"su\\u0062":"machine"')),
  'a nested member twice': signed(head, text(body, ',"x":[{"a":1,"b":{"c":":","c":2}}]')),
  'a member twice, the first one nested': signed(head, text(body, ',"x":{"y":{"z":1}},"x":1')),
  '__proto__ twice': signed(head, text(body, ',"__proto__":{},"__proto__":{}')),
  'nesting of one level too many': good.sign({ x: nested(10) }),
  'nesting of a thousand levels': good.sign({ x: nested(1000) }),
}

/** The last character of a part carries bits that no byte uses. */
function spareBit(each: string) {
  const last = each.at(-1) as string
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return each.slice(0, -1) + alphabet[alphabet.indexOf(last) ^ 1]
}

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

const thumbprint = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'
const latest = 253_402_300_799

/** Tokens with a valid signature and invalid claims. */
export const badClaims: Vectors = {
  ...claim(
    'iss',
    `${issuer}/`,
    ` ${issuer}`,
    issuer.toUpperCase(),
    'HTTPS://id.example',
    'http://id.example',
  ),
  ...claim('iss', 'https://evil.example', '', '__proto__', 'constructor', 'toString'),
  ...claim('iss', undefined, null, 1, [issuer], ['https://b.example', issuer], { [issuer]: 1 }),
  ...claim('aud', 'other', 'saml', '', `${audience} `, `${audience}-2`, audience.toUpperCase()),
  ...claim('aud', [], [''], ['other'], [audience, ''], [audience, 1], [audience, null], [[audience]]),
  ...claim('aud', undefined, null, 1, true, { 0: audience }),
  'the audience of another issuer': other.sign({ aud: audience }),
  ...claim('exp', now, now - 1, now - 0.001, 0, -1, -1e300, latest + 1, 1e300),
  ...claim('exp', undefined, null, true, `${now + 300}`, [now + 300], {}),
  'exp beyond the range of double': signed(head, text({ ...body, exp: undefined }, ',"exp":1e999')),
  ...claim('iat', now + 30.001, `${now}`, null, -1, 1e300),
  ...claim('nbf', now + 30.001, `${now}`, null, -1, 1e300),
  ...claim('sub', '', 's'.repeat(257), undefined, null, 0, 42, true, ['machine'], {}),
  'a sub with a lone surrogate': signed(head, text({ ...body, sub: undefined }, ',"sub":"\\ud800"')),
  ...valuesOf('user', ['', 's'.repeat(257), undefined, 5], namedToken),
  'no sub, when another claim names the subject': namedToken({ sub: undefined }),
  ...claim('jti', 1, null, ['id'], {}),
  'a token bound to a DPoP key (RFC 9449 §6.1)': good.sign({ cnf: { jkt: thumbprint } }),
  'a token bound to a certificate (RFC 8705 §3.1)': good.sign({ cnf: { 'x5t#S256': thumbprint } }),
  ...claim('cnf', {}, null, '', false),
  ...valuesOf('client_id', ['cli-3', 'Cli-2', ['cli-2'], undefined], cognitoToken),
  ...valuesOf('token_use', ['id', undefined], cognitoToken),
  'an ID token of Amazon Cognito': cognitoToken({ aud: 'cli-2', client_id: undefined, token_use: 'id' }),
  'a malformed aud of Amazon Cognito': cognitoToken({ aud: 7 }),
}

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
