import { pipeline } from 'node:stream'
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib'
import Negotiator from 'negotiator'
import type { ContentCoding } from '../config.ts'

export type Coding = ContentCoding | 'identity'

/**
 * Chooses the offered coding that the client prefers; among equals, the first one offered.
 *
 * @param offered in order of preference
 * @returns `identity` when the client accepts none of them, or sends no such line
 * @see RFC 9110 §12.5.3
 */
export function chooseCoding(lines: readonly string[], offered: readonly ContentCoding[]): Coding {
  const accepted = new Negotiator({ headers: { 'accept-encoding': lines.join(',') } })
  return accepted.encoding<Coding>([...offered, 'identity'], { preferred: offered }) ?? 'identity'
}

/** The fastest levels: higher ones save a fifth of the bytes and take several times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const gzipOptions = { level: 1 }

/** Encodes a text that is in memory, which takes less time than a stream. */
export function encodedText(text: string, coding: Coding): string | Buffer {
  if (coding === 'identity') return text
  return coding === 'br' ? brotliCompressSync(text, brotliOptions) : gzipSync(text, gzipOptions)
}

/**
 * Encodes pieces one by one; the first bytes come before the second piece is read.
 *
 * @throws the errors of the pieces
 */
export function encodedPieces(
  pieces: AsyncGenerator<string>,
  coding: Coding,
): AsyncIterable<string> | AsyncIterable<Buffer> {
  if (coding === 'identity') return pieces
  const encoder = coding === 'br' ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions)
  // Errors of the pieces reach the reader; a reader that stops ends the pieces.
  return pipeline(pieces, encoder, () => {})
}
