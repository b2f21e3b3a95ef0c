import { pipeline } from 'node:stream'
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Config } from '../config.ts'

type ContentCoding = Config['contentCodings'][number]
type Coding = ContentCoding | 'identity'

/**
 * Chooses the offered coding that the client prefers; among equals, the first one offered.
 *
 * @param lines values of the request's Accept-Encoding lines
 * @param offered codings of the deployment, in order of preference
 * @returns `identity` when the client accepts none of them, or sends no such line
 * @see RFC 9110 §12.5.3
 */
export function chooseCoding(lines: readonly string[], offered: readonly ContentCoding[]): Coding {
  const accepted = new Negotiator({ headers: { 'accept-encoding': lines.join(',') } })
  const chosen = accepted.encoding([...offered, 'identity'], { preferred: [...offered] })
  return (chosen as Coding | undefined) ?? 'identity'
}

/** The fastest levels: higher ones save a fifth of the bytes and take several times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const gzipOptions = { level: 1 }

/** A shorter body, such as a list of 1,000 providers, is compressed at once: a stream takes longer for it. */
const streamedMinChars = 1024 * 1024

/**
 * Encodes a body. A long one is encoded piece by piece, so that it is never in memory as a whole.
 *
 * @throws the errors of the pieces
 */
export const encoded = (
  pieces: AsyncGenerator<string>,
  coding: Coding,
): AsyncIterable<string> | AsyncIterable<Buffer> =>
  coding === 'identity' ? pieces : compressed(pieces, coding)

async function* compressed(pieces: AsyncGenerator<string>, coding: ContentCoding): AsyncGenerator<Buffer> {
  let start = ''
  while (start.length < streamedMinChars) {
    const { value, done } = await pieces.next()
    if (done) return yield compressedText(start, coding)
    start += value
  }
  const all = async function* () {
    yield start
    yield* pieces
  }
  const encoder = coding === 'br' ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions)
  // Errors of the pieces reach the reader; a reader that stops ends the pieces.
  yield* pipeline(all, encoder, () => {})
}

/** The number of bytes of a text in a coding, to estimate that of a longer one. */
export const encodedBytes = (text: string, coding: Coding): number =>
  coding === 'identity' ? Buffer.byteLength(text) : compressedText(text, coding).length

const compressedText = (text: string, coding: ContentCoding): Buffer =>
  coding === 'br' ? brotliCompressSync(text, brotliOptions) : gzipSync(text, gzipOptions)
