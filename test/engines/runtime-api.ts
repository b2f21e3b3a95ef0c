import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../../infra/listen.ts'

/** The runtime's answer to one event. */
interface Sent {
  /** `response` or `error`. */
  kind: string
  contentType: string
  body: Buffer
  /** The type of the error that ended a stream, from its trailers. */
  errorType: string | undefined
}

/**
 * A fake of Lambda's Runtime API for one client, which polls for one event after the other.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function startRuntimeApi() {
  /** The next event, with its headers. */
  let next = Promise.withResolvers<[event: object, headers: Map<string, string>]>()
  const answered = new Map<string, (sent: Sent) => void>()

  const server = createServer(async (request, response) => {
    const [, id = '', kind = ''] = /\/invocation\/(\w+)(?:\/(\w+))?$/.exec(request.url ?? '') ?? []
    if (id === 'next') {
      const [event, headers] = await next.promise
      next = Promise.withResolvers()
      return void response.setHeaders(headers).end(JSON.stringify(event))
    }
    const body = await buffer(request)
    const resolve = answered.get(id)
    if (resolve === undefined) throw new Error(`unexpected call of ${request.url}: ${body}`)
    const errorType = request.trailers['lambda-runtime-function-error-type']
    resolve({ kind, contentType: request.headers['content-type'] ?? '', body, errorType })
    response.writeHead(202).end('{}')
  })

  return {
    address: `127.0.0.1:${await listen(server, 0)}`,
    /** Sends an event after the answer to the last one. @param remainingMs the time until the function's deadline */
    invoke(event: object, remainingMs: number): Promise<Sent> {
      const { promise, resolve } = Promise.withResolvers<Sent>()
      const id = String(answered.size + 1)
      answered.set(id, resolve)
      const headers = new Map([
        ['Lambda-Runtime-Aws-Request-Id', id],
        ['Lambda-Runtime-Deadline-Ms', String(Date.now() + remainingMs)],
        ['Lambda-Runtime-Invoked-Function-Arn', 'arn:aws:lambda:eu-central-1:0:function:f'],
      ])
      next.resolve([event, headers])
      return promise
    },
    stop: () => void server.close().closeAllConnections(),
  }
}
