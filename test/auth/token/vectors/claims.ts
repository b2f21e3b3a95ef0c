import {
  audience,
  body,
  claim,
  good,
  head,
  issuer,
  now,
  signed,
  text,
  type Vectors,
  valuesOf,
} from './fixtures.ts'
import { cognitoToken, namedToken, other } from './issuers.ts'

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
