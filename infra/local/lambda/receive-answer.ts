import { Readable } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'

export interface FunctionAnswer {
  /** The returned value, or the metadata of a streamed answer. */
  json: string
  /** The body of a streamed answer. */
  stream?: Readable
}

interface Receiving {
  answer: Promise<FunctionAnswer>
  /** Resolves when the answer has ended, with the error if it failed. */
  ended: Promise<string | undefined>
  /** Ends the answer for an external reason; a stream breaks off. */
  fail(fault: string): void
}

/** The worker's messages about one event. */
interface Message {
  answer?: string
  metadata?: string
  chunk?: Uint8Array
  end?: true
  error?: string
}

/** Lambda's limits for an answer. */
const answerMaxBytes = 6 * 1024 * 1024 + 100
const streamMaxBytes = 200 * 1024 * 1024

/** Receives the answer to one event. What the reader of a stream does not take is kept, or discarded when it stops. */
export function receiveAnswer(port: MessagePort): Receiving {
  const { promise: answer, resolve, reject } = Promise.withResolvers<FunctionAnswer>()
  const { promise: ended, resolve: end } = Promise.withResolvers<string | undefined>()
  let body: Readable | undefined
  let streamedBytes = 0

  const close = (fault?: string) => {
    port.close()
    end(fault)
  }
  const fail = (fault: string) => {
    const error = new Error(fault)
    reject(error)
    body?.destroy(error)
    close(fault)
  }
  port.on('message', (message: Message) => {
    if (message.error !== undefined) return fail(message.error)
    if (message.answer !== undefined) {
      if (Buffer.byteLength(message.answer) > answerMaxBytes) return fail('The answer exceeds 6 MB')
      resolve({ json: message.answer })
      return close()
    }
    if (message.metadata !== undefined) {
      body = new Readable({ read() {} }).on('error', () => {}) // it may fail before it is read
      return resolve({ json: message.metadata, stream: body })
    }
    if (body === undefined) return fail('The stream begins without metadata')
    if (message.end) {
      body.push(null)
      return close()
    }
    streamedBytes += message.chunk?.length ?? 0
    if (streamedBytes > streamMaxBytes) return fail('The answer exceeds 200 MB')
    body.push(message.chunk)
  })
  return { answer, ended, fail }
}
