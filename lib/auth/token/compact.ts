import { Buffer } from 'node:buffer'
import { assertToken } from './assert-token.ts'
import { type JsonObject, strictJsonObject } from './strict-json.ts'

const bytesMax = 8192

/**
 * The two readable parts of a token in compact form, not verified yet.
 *
 * @param token at most 8192 bytes; three parts of base64url as an encoder writes it, without padding or spare bits
 * @throws Failure `token_rejected`
 * @see RFC 7515 §3.1, RFC 4648 §3.5 (canonical encoding)
 */
export function readCompact(token: string): { header: JsonObject; claims: JsonObject } {
  assertToken(token.length <= bytesMax, 'longer than 8192 bytes')
  const parts = token.split('.', 4)
  assertToken(parts.length === 3, 'not three parts')
  const [header, claims] = parts.map(decode)
  assertToken(header !== undefined && claims !== undefined, 'not three parts')
  return { header: strictJsonObject(header), claims: strictJsonObject(claims) }
}

function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  assertToken(part !== '' && bytes.toString('base64url') === part, 'not canonical base64url')
  return bytes
}
