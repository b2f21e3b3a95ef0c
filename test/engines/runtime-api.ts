import { createServer, type IncomingMessage } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
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

interface Invocation {
  event: object
  deadlineMs: number
  sent: PromiseWithResolvers<Sent>
}

/**
 * A fake of Lambda's Runtime API for one client, which polls for one event after the other.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function startRuntimeApi() {
  const invocations = new Map<string, Invocation>()
  const waiting: string[] = []
  let poll: ((id: string) => void) | undefined
  const nextId = () => {
    const id = waiting.shift()
    return id === undefined ? new Promise<string>(resolve => (poll = resolve)) : id
  }
  const receive = async (request: IncomingMessage, kind: string): Promise<Sent> => {
    const body = await buffer(request)
    const errorType = request.trailers['lambda-runtime-function-error-type']
    return { kind, contentType: request.headers['content-type'] ?? '', body, errorType }
  }

  const server = createServer(async (request, response) => {
    const [, id = '', kind = ''] = /\/invocation\/(\w+)(?:\/(\w+))?$/.exec(request.url ?? '') ?? []
    if (id === 'next') {
      const next = await nextId()
      const { event, deadlineMs } = invocations.get(next) as Invocation
      response.setHeader('Lambda-Runtime-Aws-Request-Id', next)
      response.setHeader('Lambda-Runtime-Deadline-Ms', String(deadlineMs))
      response.setHeader('Lambda-Runtime-Invoked-Function-Arn', 'arn:aws:lambda:eu-central-1:0:function:f')
      return void response.end(JSON.stringify(event))
    }
    const sent = invocations.get(id)?.sent
    if (sent === undefined) throw new Error(`unexpected call of ${request.url}: ${await text(request)}`)
    sent.resolve(await receive(request, kind))
    response.writeHead(202).end('{}')
  })

  return {
    address: `127.0.0.1:${await listen(server, 0)}`,
    /** Sends an event. @param remainingMs the time until the function's deadline */
    invoke(event: object, remainingMs: number): Promise<Sent> {
      const id = String(invocations.size + 1)
      const sent = Promise.withResolvers<Sent>()
      invocations.set(id, { event, deadlineMs: Date.now() + remainingMs, sent })
      if (poll === undefined) waiting.push(id)
      else poll(id)
      poll = undefined
      return sent.promise
    },
    stop: () => void server.close().closeAllConnections(),
  }
}
