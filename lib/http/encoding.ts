import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Config } from '../config.ts'
import { Failure } from '../domain/failure.ts'

type ContentCoding = Config['contentCodings'][number]
type Coding = ContentCoding | 'identity'

/** What Lambda takes as a buffered answer (its quota, 6 MB), less room for status and headers. */
const payloadMaxBytes = 6 * 1024 * 1024 - 16 * 1024

/**
 * The best of the offered codings that the client accepts: by the client's preference, then by the order of the offer.
 *
 * @param lines values of the request's Accept-Encoding lines
 * @param offered codings of the deployment, the preferred one first
 * @returns `identity` when the client accepts none of them, or sends no such line
 * @see RFC 9110 §12.5.3
 */
export function chooseCoding(lines: readonly string[], offered: readonly ContentCoding[]): Coding {
  if (lines.length === 0) return 'identity'
  const wishes = new Negotiator({ headers: { 'accept-encoding': lines.join(',') } })
  const chosen = wishes.encoding([...offered, 'identity'], { preferred: [...offered] })
  return (chosen as Coding | undefined) ?? 'identity'
}

/**
 * The body as Lambda hands it to the gateway, made piece by piece, so that a large one is not held twice.
 *
 * @throws Failure `answer_too_large` as soon as it is known to be; whatever the pieces throw
 */
export async function encodeBody(pieces: AsyncIterable<string>, coding: Coding) {
  if (coding === 'identity') return { body: await plain(pieces), isBase64Encoded: false, headers: {} }
  return {
    body: (await compressed(pieces, coding)).toString('base64'),
    isBase64Encoded: true,
    headers: { 'Content-Encoding': coding },
  }
}

async function plain(pieces: AsyncIterable<string>): Promise<string> {
  const size = limited(payloadMaxBytes)
  let body = ''
  for await (const piece of pieces) {
    // The runtime writes the body as a JSON string once more, where each quote takes two bytes.
    size.add(Buffer.byteLength(JSON.stringify(piece)))
    body += piece
  }
  return body
}

async function compressed(pieces: AsyncIterable<string>, coding: ContentCoding): Promise<Buffer> {
  // The fastest levels: a better one saves a fifth of the bytes for several times the time.
  const encoder =
    coding === 'br'
      ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
      : createGzip({ level: 1 })
  const size = limited((payloadMaxBytes * 3) / 4)
  const chunks: Buffer[] = []
  await pipeline(pieces, encoder, async (encoded: AsyncIterable<Buffer>) => {
    for await (const chunk of encoded) {
      size.add(chunk.length)
      chunks.push(chunk)
    }
  })
  return Buffer.concat(chunks)
}

function limited(maxBytes: number) {
  let bytes = 0
  return {
    add(more: number) {
      bytes += more
      if (bytes > maxBytes) throw new Failure('answer_too_large')
    },
  }
}
