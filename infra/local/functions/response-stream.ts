import { PassThrough } from 'node:stream'
import type { Head } from '../../../lib/http/request.ts'

/** A handler of event and context or, when it streams, of event, stream and context. */
export type Handler = (...given: unknown[]) => unknown

/** Lambda's mark of a streaming handler. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming')

export const isStreaming = (handler: Handler) => streaming in handler

/** The stream of one answer. */
export class ResponseStream extends PassThrough {
  readonly #opened = Promise.withResolvers<Head>()

  /** Status and headers, as soon as the handler has set them. */
  get head(): Promise<Head> {
    return this.#opened.promise
  }

  open(head: Head): this {
    this.#opened.resolve(head)
    return this
  }
}

/** A stand-in of the global `awslambda` of Lambda's Node.js runtime. */
export const awslambda = {
  streamifyResponse: (handler: Handler) => Object.assign(handler, { [streaming]: 'response' }),

  HttpResponseStream: {
    /** Sets status and headers of a streamed answer. Lambda sends them later, with the first `write`. */
    from: (stream: ResponseStream, head: Head) => stream.open(head),
  },
}
