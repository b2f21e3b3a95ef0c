import { on } from 'node:events'
import { Writable } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'

/** Takes event and context, or, when it streams, event, stream and context. */
export type Handler = (...given: unknown[]) => unknown

/** Marks a handler that writes its answer to a stream, under Lambda's own name. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming')

/** The stream of one answer. Each chunk is a message, and is sent when the reader asks for it. */
export class ResponseStream extends Writable {
  readonly #port: MessagePort
  readonly #demand: AsyncIterator<unknown>
  #hasMetadata = false

  constructor(port: MessagePort) {
    super()
    this.#port = port
    this.#demand = on(port, 'message')
  }

  sendMetadata(metadata: object): void {
    this.#hasMetadata = true
    this.#port.postMessage({ metadata: JSON.stringify(metadata) })
  }

  override async _write(chunk: Buffer, _: BufferEncoding, done: () => void): Promise<void> {
    if (this.#hasMetadata) await this.#demand.next() // without metadata nobody will ever ask
    const bytes = Uint8Array.from(chunk) // a copy: the chunk may be a part of a larger buffer, which would be sent whole
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
     * Gives a stream the status and headers of its answer. As on Lambda they leave with the first `write`: a stream
     * that ends without one has none, and API Gateway answers 502.
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
