import { PassThrough, type Readable } from 'node:stream'
import type { ApiAnswer, Head } from '../../../lib/http/request.ts'

/** A handler of event and context or, when it streams, of event, stream and context. */
export type Handler = (...given: unknown[]) => unknown

/** The answer of a function; a streamed body fails when the function does. */
export type FunctionAnswer = ApiAnswer | (Head & { body: Readable })

/** Lambda's mark of a streaming handler. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming')

class ResponseStream extends PassThrough {
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

/** Calls a handler as Lambda's runtime does. @throws what it throws before its answer begins */
export async function callHandler(handler: Handler, event: object, context: object): Promise<FunctionAnswer> {
  if (!(streaming in handler)) return (await handler(event, context)) as ApiAnswer
  const stream = new ResponseStream().on('error', () => {}) // nobody may read it yet
  const result = (async () => handler(event, stream, context))()
  result.catch(error => void stream.destroy(error))
  const unopened = result.then(() => Promise.reject(new Error('the function has not opened its stream')))
  const head = await Promise.race([stream.head, unopened])
  return { ...head, body: stream }
}
