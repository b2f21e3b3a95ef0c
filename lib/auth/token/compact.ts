import { Buffer } from 'node:buffer'
import { assertToken } from './assert-token.ts'
import { type JsonObject, strictJsonObject } from './strict-json.ts'

const bytesMax = 8192

/** A token in parts, none of them verified. */
export interface CompactToken {
  header: JsonObject
  claims: JsonObject
  /** What the signature covers. */
  signingInput: string
  signature: Buffer
}

/**
 * The parts of a token in compact form.
 *
 * @param token at most 8192 bytes; three parts of base64url as an encoder writes it, without padding or spare bits
 * @throws Failure `token_rejected`
 * @see RFC 7515 §3.1, RFC 4648 §3.5 (canonical encoding)
 */
export function decodeCompact(token: string): CompactToken {
  assertToken(token.length <= bytesMax, 'longer than 8192 bytes')
  const parts = token.split('.', 4).map(decode)
  const [header, claims, signature] = parts
  assertToken(parts.length === 3 && !!header && !!claims && !!signature, 'not three parts')
  return {
    header: strictJsonObject(header),
    claims: strictJsonObject(claims),
    signingInput: token.slice(0, token.lastIndexOf('.')),
    signature,
  }
}

function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  assertToken(part !== '' && bytes.toString('base64url') === part, 'not canonical base64url')
  return bytes
}
