import { type Buffer, isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonObject } from '../../domain/json.ts'
import { assertToken } from './assert-token.ts'

const depthMax = 10

/**
 * Parses a JSON object that all parsers read alike: valid UTF-8, no duplicate member, at most ten levels.
 *
 * @throws Failure `token_rejected`
 * @see RFC 7519 §4 and RFC 7515 §4 (unique names), RFC 8725 §2.4
 */
export function strictJsonObject(bytes: Buffer): JsonObject {
  assertToken(isUtf8(bytes), 'not UTF-8')
  const text = bytes.toString()
  const value = parse(text)
  assertToken(isJsonObject(value), 'not a JSON object')
  // JSON.parse keeps one of several members of the same name, so the object has fewer than the text.
  assertToken(membersIn(value, depthMax) === membersWritten(text), 'a member occurs twice')
  return value
}

/** Whether a parsed JSON value is a string of one character or more. */
export const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''

// The parser's own error is dropped, because it quotes the text.
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function membersIn(value: unknown, depthLeft: number): number {
  if (typeof value !== 'object' || value === null) return 0
  assertToken(depthLeft > 0, 'nested too deeply')
  const inner = Object.values(value)
  let count = Array.isArray(value) ? 0 : inner.length
  for (const each of inner) count += membersIn(each, depthLeft - 1)
  return count
}

/** In valid JSON every member has exactly one colon outside strings. */
const membersWritten = (json: string) => json.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
