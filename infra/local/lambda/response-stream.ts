import { Writable } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'

/** A handler of event and context or, when it streams, of event, stream and context. */
export type Handler = (...given: unknown[]) => unknown

/** Lambda's mark of a streaming handler. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming')

/** The stream of one answer. Each chunk is a message. */
export class ResponseStream extends Writable {
  readonly #port: MessagePort

  constructor(port: MessagePort) {
    super()
    this.#port = port
  }

  sendMetadata(metadata: object): void {
    this.#port.postMessage({ metadata: JSON.stringify(metadata) })
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const bytes = Uint8Array.from(chunk) // a copy: the chunk may be part of a larger buffer, which would be sent as a whole
    this.#port.postMessage({ chunk: bytes }, [bytes.buffer])
    done()
  }

  override _final(done: () => void): void {
    this.#port.postMessage({ end: true })
    done()
  }
}

/** The global `awslambda` of Lambda's Node.js runtime. */
export const awslambda = {
  streamifyResponse: (handler: Handler) => Object.assign(handler, { [streaming]: 'response' }),

  HttpResponseStream: {
    /**
     * Sets status and headers of a streamed answer. As on Lambda, they are sent with the first `write`; without one,
     * API Gateway answers 502.
     */
    from(stream: ResponseStream, metadata: object): ResponseStream {
      const { write } = stream
      stream.write = ((...given: Parameters<typeof write>) => {
        stream.write = write
        stream.sendMetadata(metadata)
        return write.apply(stream, given)
      }) as typeof write
      return stream
    },
  },
}

export const isStreaming = (handler: Handler) => streaming in handler
