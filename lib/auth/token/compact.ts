import { Buffer } from 'node:buffer'
import type { DecomposedJwt } from 'aws-jwt-verify/jwt'
import { assertToken } from './assert-token.ts'
import { strictJsonObject } from './strict-json.ts'

/**
 * The parts of a token in compact form, none of them verified: header and payload have members of any type.
 *
 * @param token three parts of base64url as an encoder writes it, without padding or spare bits; API Gateway lets at most
 * 10,240 bytes of headers through
 * @throws Failure `token_rejected`
 * @see RFC 7515 §3.1, RFC 4648 §3.5 (canonical encoding)
 */
export function decodeCompact(token: string): DecomposedJwt {
  const parts = token.split('.', 6)
  assertToken(parts.length !== 5, 'encrypted (RFC 7516)')
  assertToken(parts.length === 3, 'no JWT: not three parts')
  const [headerB64 = '', payloadB64 = '', signatureB64 = ''] = parts
  decode(signatureB64) // aws-jwt-verify decodes it again, and accepts other forms
  const [header, payload] = [strictJsonObject(decode(headerB64)), strictJsonObject(decode(payloadB64))]
  return { header, headerB64, payload, payloadB64, signatureB64 } as DecomposedJwt
}

function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  assertToken(part !== '' && bytes.toString('base64url') === part, 'not canonical base64url')
  return bytes
}
