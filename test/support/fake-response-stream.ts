import { Writable } from 'node:stream'
import type { Head } from '../../lib/http/request.ts'

export type FakeResponseStream = ReturnType<typeof fakeResponseStream>

/**
 * The stream of one answer, in memory. It buffers one chunk, so that its writer waits after each.
 *
 * @param take called and awaited for each chunk of a 200; other answers are taken at once, so that a test that lets a
 *   client stall ends when its request is refused
 */
export function fakeResponseStream(take: (chunk: Buffer) => unknown = () => {}) {
  let opened: Head | undefined
  let sent: Head | undefined
  const chunks: Buffer[] = []
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      sent = opened
      chunks.push(chunk)
      Promise.resolve(opened?.statusCode === 200 && take(chunk)).then(() => done(), done)
    },
    destroy() {
      throw new Error("Lambda's runtime ends the process when its stream is destroyed")
    },
    autoDestroy: false,
  })
  return {
    openStream(head: Head) {
      if (opened !== undefined) throw new Error('a second answer to one request')
      opened = head
      return stream
    },
    /** Status and headers, after they are sent with the first write, as on Lambda. */
    head: () => sent,
    body: () => Buffer.concat(chunks),
    isEnded: () => stream.writableFinished,
  }
}
