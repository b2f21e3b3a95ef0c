import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import { type Alg, type Signer, base64url, compact } from './signer.ts'
import {
  audience,
  body,
  claim,
  cognitoToken,
  ec,
  ecBesideRsa,
  good,
  head,
  issuer,
  long,
  markedToken,
  namedToken,
  nested,
  now,
  other,
  parameter,
  part,
  parts,
  property,
  repeated,
  rs512,
  signed,
  signerOf,
  text,
  valuesOf,
  type Vectors,
} from './fixtures.ts'

/** Tokens just within each boundary, and of each kind of issuer and key. */
export const accepted: Vectors = {
  'a token of more than 10,000 characters': good.sign({ groups: 'x'.repeat(7_200) }),
  'nesting of the maximum depth': good.sign({ x: nested(9) }),
  'equal names in different objects': good.sign({ a: { x: 1 }, b: [{ x: ':"' }, { x: '\\' }], x: 2 }),
  ...claim('exp', now + 0.001, 253_402_300_799),
  ...claim('iat', now + 30, undefined, 0),
  ...claim('nbf', now + 30, 0),
  ...claim('sub', 's'.repeat(256)),
  ...claim('aud', ['other', audience]),
  // Nothing reads it, so it refuses nobody.
  ...claim('jti', 1, null),
  // Issuers send null for what a token does not have (Rauthy's for machines have `"sub": null`).
  ...valuesOf('user', [null], namedToken),
  ...parameter(
    'typ',
    'AT+JWT',
    'application/at+jwt',
    'Application/At+Jwt',
    'JWT',
    'application/jwt',
    undefined,
  ),
  ...valuesOf('typ', ['at+jwt', 'Application/AT+JWT'], markedToken),
  // What a header has besides is neither read nor followed, whatever is in it.
  ...parameter('x5t', 'abc'),
  ...parameter('cty', 'x'),
  ...parameter('zip', 'NONE', 'DEF', 7),
  ...parameter('jwk', other.publicJwk, null),
  ...parameter('jku', 'https://evil.example/jwks'),
  ...parameter('x5u', 'https://evil.example/x5u'),
  ...parameter('x5c', ['MIIB'], 'no list'),
  'the key of ES256': ec.sign(),
  'the key of RS512': rs512.sign(),
  'a key that is published twice': repeated.sign(),
  'a key of ES256 beside one of RS256 under the same kid': ecBesideRsa.sign(),
  'a key with a kid of 256 characters': long.sign(),
  'a key whose kid is the name of a property of every object': property.sign(),
  'a token of another issuer with its own audience and key': other.sign(),
  'an access token of Amazon Cognito': cognitoToken({}),
  'one whose aud is a client': cognitoToken({ aud: 'cli-1' }),
  'one that is bound to this resource': cognitoToken({ aud: ['x', 'https://ours.example'] }),
}

/** Tokens whose format is invalid. */
export const badFormat: Vectors = {
  'two parts': parts.slice(0, 2).join('.'),
  'four parts': `${parts.join('.')}.${parts[2]}`,
  'an empty signature': part(2, () => ''),
  'a padded header': part(0, each => `${each}=`),
  'a padded payload': part(1, each => `${each}==`),
  'a padded signature': part(2, each => `${each}==`),
  'spare bits in the signature': part(2, spareBit),
  'base64 instead of base64url': part(2, each => `${each.slice(0, -4)}+/Aw`),
  'a line break at the end': `${parts.join('.')}\n`,
  'a payload that is not JSON': signed(head, '{"iss"'),
  'a header that is an array': signed('[]', body),
  'a payload that is null': signed(head, 'null'),
  'a payload that is a string': signed(head, '"x"'),
  'a byte order mark before the payload': signed(head, `\uFEFF${text(body)}`),
  'a payload that is not UTF-8': signed(head, Buffer.from(text(body, ',"x":"\xff"'), 'latin1')),
  'a header member twice': signed(text(head, ',"alg":"RS256"'), body),
  'a claim twice': signed(head, text(body, ',"sub":"machine"')),
  'a claim twice, once with an escaped name': signed(head, text(body, ',"su\\u0062":"machine"')),
  'a nested member twice': signed(head, text(body, ',"x":[{"a":1,"b":{"c":":","c":2}}]')),
  'a member twice, the first one nested': signed(head, text(body, ',"x":{"y":{"z":1}},"x":1')),
  '__proto__ twice': signed(head, text(body, ',"__proto__":{},"__proto__":{}')),
  'nesting of one level too many': good.sign({ x: nested(10) }),
}

/** The last character of a part carries bits that no byte uses. */
function spareBit(each: string) {
  const last = each.at(-1) as string
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return each.slice(0, -1) + alphabet[alphabet.indexOf(last) ^ 1]
}

const pem = good.publicKey.export({ format: 'pem', type: 'spki' })
/** With the public key as the secret. */
const hmacOf = (input: string) => createHmac('sha256', pem).update(input).digest('base64url')
const hs256Input = `${base64url({ ...head, alg: 'HS256' })}.${base64url(body)}`

/** Well-formed tokens whose header violates the issuer's policy. */
export const badHeader: Vectors = {
  'an HS256 token keyed with the PEM': `${hs256Input}.${hmacOf(hs256Input)}`,
  'a published symmetric key': good.sign({}, { kid: 'secret', alg: 'HS256' }),
  'alg none without a signature': `${base64url({ ...head, alg: 'none' })}.${parts[1]}.`,
  'alg only on the prototype': signed('{"__proto__":{"alg":"RS256"},"typ":"at+jwt","kid":"key-1"}', body),
  ...parameter('alg', 'none', 'nOnE', 'RS384', 'PS256', 'rs256', undefined, ['RS256']),
  ...parameter('typ', 'logout+jwt', 'dpop+jwt', 'secevent+jwt', 'okta-internal-at+jwt', 'id_token', '', null),
  ...parameter('typ', 'at', 'at+jwt ', 'text/at+jwt', 'application/application/at+jwt', ['at+jwt']),
  ...valuesOf('typ', ['JWT', undefined], markedToken),
  ...parameter('crit', ['exp'], [], null),
  ...parameter('b64', true, false),
  ...parameter('kid', '', 'k'.repeat(257), undefined, 7, ['key-1']),
}

const thumbprint = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'

/** Tokens with a valid signature and invalid claims. */
export const badClaims: Vectors = {
  ...claim('iss', `${issuer}/`, issuer.toUpperCase(), 'https://evil.example', '__proto__', undefined),
  ...claim('iss', [issuer], ['https://b.example', issuer]),
  ...claim('aud', 'other', 'saml', `${audience}-2`, audience.toUpperCase(), undefined, null),
  ...claim('aud', [], ['other'], [audience, ''], [audience, 1], { 0: audience }),
  'the audience of another issuer': other.sign({ aud: audience }),
  ...claim('exp', now, now - 0.001, 253_402_300_800, undefined, `${now + 300}`, [now + 300]),
  ...claim('iat', now + 30.001, `${now}`, -1, null),
  ...claim('nbf', now + 30.001, `${now}`, -1, null),
  ...claim('sub', '', 's'.repeat(257), undefined, null, 42, ['machine']),
  'a sub with a lone surrogate': signed(head, text({ ...body, sub: undefined }, ',"sub":"\\ud800"')),
  ...valuesOf('user', ['', 5], namedToken),
  'none of the claims that may name the subject': namedToken({ sub: undefined }),
  'a token bound to a DPoP key (RFC 9449 §6.1)': good.sign({ cnf: { jkt: thumbprint } }),
  ...claim('cnf', null),
  ...valuesOf('client_id', ['cli-3', ['cli-2'], undefined], cognitoToken),
  ...valuesOf('token_use', ['id', undefined], cognitoToken),
  ...valuesOf('aud', ['https://other.example', [], null, ['cli-2', 7]], cognitoToken),
  'one of another client that is bound to this resource': cognitoToken({
    aud: 'https://ours.example',
    client_id: 'cli-3',
  }),
}

/** A token whose header names another key or algorithm than it is signed with. */
const mixed = (kid: string, alg: string, by: Signer, signed: Alg) =>
  compact({ ...head, kid, alg }, body, by.privateKey, signed)
const withSignature = (signature: string | Buffer) =>
  [...ec.sign().split('.').slice(0, 2), base64url(signature)].join('.')

/** Tokens that are refused only by the key lookup or the signature. */
export const forged: Vectors = {
  'another signature': part(2, each => (each[0] === 'A' ? 'B' : 'A') + each.slice(1)),
  'a truncated signature': part(2, each => each.slice(0, -4)),
  'another payload': part(1, () => base64url({ ...body, sub: 'admin' })),
  'another header': part(0, () => base64url({ ...head, x: 1 })),
  'a key that only another issuer has': other.sign({ iss: issuer, aud: audience }),
  "the other issuer's token with our key": good.sign({ iss: 'https://b.example', aud: 'b' }),
  ...parameter('kid', 'key-2', 'KEY-1', '__proto__'),
  'an unpublished key with the kid of another': signerOf('key-1').sign(),
  'an HMAC of the public key under the header of RS256': part(2, () => hmacOf(`${parts[0]}.${parts[1]}`)),
  'RS512 under a key of RS256': mixed('key-1', 'RS512', good, 'RS512'),
  'RS256 with the ES256 key of the same kid': mixed('repeated', 'RS256', ecBesideRsa, 'ES256'),
  'ES256 under an RSA key': mixed('key-1', 'ES256', ec, 'ES256'),
  'a signature of RS512 with alg RS256': mixed('key-1', 'RS256', good, 'RS512'),
  'an ES256 signature of zeros': withSignature(Buffer.alloc(64)),
  'an ES256 signature in DER': withSignature(der(Buffer.from(ec.sign().split('.')[2] ?? '', 'base64url'))),
}

function der(raw: Buffer): Buffer {
  const integer = (bytes: Buffer) => Buffer.from([2, bytes.length + 1, 0, ...bytes])
  const both = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))])
  return Buffer.from([0x30, both.length, ...both])
}
