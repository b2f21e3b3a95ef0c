import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { Failure } from '../domain/failure.ts'
import { abortable } from '../time.ts'
import type { ApiAnswer, Head, OpenStream } from './request.ts'

/** A body: text as it is, bytes where it is compressed. */
type Pieces = AsyncIterable<string | Buffer> | Iterable<string>

/** Lambda's quota of a buffered answer, 6 MB, less room for status and headers. */
const bufferedMaxBytes = 6 * 1024 * 1024 - 16 * 1024
/** Lambda's quota of a streamed answer, 200 MB, in the smaller kind of MB. */
const streamedMaxBytes = 200_000_000
/** Less than the quota, as an estimate is not exact: an answer that is cut at the quota can never be had whole. */
const estimateMaxBytes = 0.95 * streamedMaxBytes

/** @throws Failure `answer_too_large` for an answer that is likely not to fit into a stream */
export function assertStreamable(estimatedBytes: number): void {
  if (estimatedBytes > estimateMaxBytes) throw new Failure('answer_too_large')
}

/**
 * Hands an answer over to Lambda: streamed where a stream can be opened, else as a whole.
 *
 * @param pieces at least one
 * @param open is called with the first piece; what is thrown before can still be answered otherwise
 * @param signal ends the sending of a stream
 * @returns what the handler is to return
 * @throws Failure `answer_too_large` as soon as it exceeds the quota; whatever the pieces throw; the signal's reason
 */
export const send = (head: Head, pieces: Pieces, open?: OpenStream, signal?: AbortSignal) =>
  open === undefined ? buffered(head, pieces) : streamed(head, pieces, open, signal)

async function buffered(head: Head, pieces: Pieces): Promise<ApiAnswer> {
  const texts: string[] = []
  const chunks: Buffer[] = []
  const size = limited(bufferedMaxBytes)
  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      // The runtime writes the body as a JSON string once more, where each quote takes two bytes.
      size.add(Buffer.byteLength(JSON.stringify(piece)))
      texts.push(piece)
    } else {
      size.add((piece.length * 4) / 3)
      chunks.push(piece)
    }
  }
  if (chunks.length === 0) return { ...head, body: texts.join(''), isBase64Encoded: false }
  return { ...head, body: Buffer.concat(chunks).toString('base64'), isBase64Encoded: true }
}

/**
 * Returns when all has left, no faster than it is received. What is thrown leaves the stream open and not destroyed:
 * Lambda's runtime then cuts the answer, and lives on for the next event.
 */
async function streamed(
  head: Head,
  pieces: Pieces,
  open: OpenStream,
  signal: AbortSignal = new AbortController().signal,
): Promise<Head> {
  const size = limited(streamedMaxBytes)
  let stream: Writable | undefined
  for await (const piece of pieces) {
    size.add(Buffer.byteLength(piece))
    stream ??= open(head)
    if (!stream.write(piece)) await abortable(once(stream, 'drain'), signal)
  }
  if (stream === undefined) throw new Error('There is no piece of an answer.')
  const finished = once(stream, 'finish')
  stream.end()
  await abortable(finished, signal)
  return head
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
