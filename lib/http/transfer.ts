import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { Failure, type FailureCode } from '../domain/failure.ts'
import { abortable, throwIfOver } from '../time.ts'
import { type Coding, encodedText } from './encoding.ts'
import type { ApiAnswer, Head, OpenStream } from './request.ts'

/** A body, of at least one piece: texts, or bytes when it is compressed. */
export type Pieces = AsyncIterable<string | Buffer> | Iterable<string | Buffer>

/** Lambda's limit for buffered answers, 6 MB, minus room for status and headers. */
const bufferedMaxBytes = 6 * 1024 * 1024 - 16 * 1024
/** Lambda's limit for streamed answers, 200 MB, taken as decimal megabytes. */
const streamedMaxBytes = 200_000_000
/** Below the limit, because an estimate is not exact, and an answer that is cut at the limit is never complete. */
const estimateMaxBytes = 0.95 * streamedMaxBytes

/**
 * Refuses a list before its first byte when it is likely to be too large to be streamed.
 *
 * @param pages how many pages the list has; all are taken to be as long as the first
 * @throws Failure `answer_too_large`
 */
export const refuseTooLarge = (coding: Coding) => (firstPage: string, pages: number) => {
  const isTooLarge = (page: string | Buffer) => Buffer.byteLength(page) * pages > estimateMaxBytes
  // Few lists are too large as plain text; only of these the first page is compressed for a second time.
  if (isTooLarge(firstPage) && isTooLarge(encodedText(firstPage, coding)))
    throw new Failure('answer_too_large')
}

interface Sending {
  /** Without it, the answer is buffered. */
  openStream?: OpenStream | undefined
  /** Called when the stream is opened, with the first piece: an error before it can still be answered with problem details. */
  onBegin?: (timeOutCode: () => FailureCode) => void
  /** Aborts the sending of a stream. */
  signal?: AbortSignal | undefined
}

/**
 * Sends an answer, streamed or buffered.
 *
 * @throws Failure `answer_too_large` when it exceeds the limit; the errors of the pieces and of the stream; the signal's reason
 */
export const send = (head: Head, pieces: Pieces, { openStream, ...sending }: Sending) =>
  openStream === undefined ? buffered(head, pieces) : streamed(head, pieces, openStream, sending)

async function buffered(head: Head, pieces: Pieces): Promise<ApiAnswer> {
  const texts: string[] = []
  const chunks: Buffer[] = []
  const count = limited(bufferedMaxBytes)
  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      // The runtime writes the body as a JSON string, in which a quote takes two bytes.
      count(Buffer.byteLength(JSON.stringify(piece)))
      texts.push(piece)
    } else {
      count((piece.length * 4) / 3)
      chunks.push(piece)
    }
  }
  if (chunks.length === 0) return { ...head, body: texts.join(''), isBase64Encoded: false }
  return { ...head, body: Buffer.concat(chunks).toString('base64'), isBase64Encoded: true }
}

/**
 * Returns when everything is sent, at the speed of the receiver. An error leaves the stream open, not destroyed: then
 * Lambda's runtime cuts the answer and continues with the next event.
 */
async function streamed(
  head: Head,
  pieces: Pieces,
  openStream: OpenStream,
  { onBegin = () => {}, signal = new AbortController().signal }: Sending,
): Promise<Head> {
  const count = limited(streamedMaxBytes)
  let receiver: ReturnType<typeof receiverOf> | undefined
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    count(bytes.length)
    if (receiver === undefined) {
      throwIfOver(signal)
      receiver = receiverOf(openStream(head), signal)
      onBegin(receiver.timeOutCode)
    }
    await receiver.take(bytes)
  }
  if (receiver === undefined) throw new Error('The answer has no piece.')
  await receiver.end()
  return head
}

/** The receiver of a stream: whether it is waited for, or the next piece is, decides what a time-out counts as. */
function receiverOf(stream: Writable, signal: AbortSignal) {
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {}) // It may come while the next piece is read.
  stream.on('error', failure.reject)
  let isAwaited = false
  const until = async (event: 'drain' | 'finish') => {
    isAwaited = true
    await abortable(Promise.race([once(stream, event), failure.promise]), signal)
    isAwaited = false
  }
  return {
    /** The receiver is too slow for so many bytes, or the table is slow. */
    timeOutCode: (): FailureCode => (isAwaited ? 'answer_too_large' : 'table_busy'),
    async take(bytes: Buffer) {
      if (!stream.write(bytes)) await until('drain')
    },
    async end() {
      const finished = until('finish')
      stream.end()
      await finished
    },
  }
}

/** Makes a function that counts bytes, up to a limit. */
function limited(maxBytes: number) {
  let leftBytes = maxBytes
  return (bytes: number) => {
    leftBytes -= bytes
    if (leftBytes < 0) throw new Failure('answer_too_large')
  }
}
