import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Route } from '../../serverless/service-definition.ts'
import type { FunctionAnswer } from '../lambda/receive-answer.ts'
import { listen } from '../listen.ts'
import { findRoute } from './find-route.ts'
import { type GatewayAnswers, malformedRequest } from './gateway-answers.ts'
import { readProxyAnswer, readStreamMetadata } from './proxy-answer.ts'
import { exceedsHeaderQuota, parserMaxBytes, readBody } from './quotas.ts'
import { asText, type Reply, send } from './reply.ts'
import { restEvent } from './rest-event.ts'

export interface GatewayOptions {
  /** 0 lets the system choose. */
  port: number
  routes: readonly Route[]
  answers: GatewayAnswers
  /** Calls the function of a route; rejects where Lambda reports an error. */
  invoke(route: Route, event: ReturnType<typeof restEvent>): Promise<FunctionAnswer>
  /** What this machine alone serves besides the routes; undefined for a request that is none of it. */
  pages?(request: IncomingMessage): Promise<Reply | undefined>
  /** Told the reason of an answer that is the gateway's, because the function gave none that it can send. */
  report?(reason: string): void
}

export interface Gateway {
  url: string
  stop(): Promise<void>
}

/** The codes of the errors that a client makes by hanging up. */
const clientLeft = /^(ECONNRESET|ERR_STREAM_PREMATURE_CLOSE)$/

/**
 * API Gateway's part on this machine: it knows the routes, keeps the quotas, builds the event, checks what the function
 * answers, and gives its own answer wherever a function gave none.
 *
 * @throws EADDRINUSE or EACCES, when the port is not to be had
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { port, routes, answers, invoke, pages, report } = options
  const server = createServer({ maxHeaderSize: parserMaxBytes, requireHostHeader: false })
  const refuseMalformed = (_: IncomingMessage, response: ServerResponse) =>
    send(response, malformedRequest(randomUUID()))
  server.on('checkExpectation', refuseMalformed)
  server.on('connect', (_, socket) => socket.end(asText(malformedRequest(randomUUID()))))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
    const requestId = randomUUID()
    socket.end(asText(tooLarge ? answers('REQUEST_TOO_LARGE', requestId) : malformedRequest(requestId)))
  })
  server.on('request', (request, response) => {
    const requestId = randomUUID()
    handle(request, response, requestId).catch(error => {
      if (clientLeft.test(error.code)) return
      const [reason] = String(error.message).split('\n', 1)
      report?.(`${request.method} ${request.url}: ${reason}`)
      send(response, answers('DEFAULT_5XX', requestId))
    })
  })
  const url = `http://127.0.0.1:${await listen(server, port)}`

  async function handle(request: IncomingMessage, response: ServerResponse, requestId: string) {
    const receivedAtMs = Date.now()
    request.on('error', () => {}) // an error while nobody reads is that of a client that hangs up
    const { method = '', url = '', rawHeaders } = request
    if (request.headersDistinct.host?.length !== 1) return refuseMalformed(request, response)
    const page = await pages?.(request)
    if (page !== undefined) return send(response, page)

    const refuse = (responseType: string) => send(response, answers(responseType, requestId))
    const target = url.replace(/^https?:\/\/[^/?]*/i, '')
    const found = findRoute(routes, method, target)
    if (exceedsHeaderQuota(rawHeaders)) return refuse('REQUEST_TOO_LARGE')
    if (found === undefined) return refuse('MISSING_AUTHENTICATION_TOKEN')
    const body = await readBody(request)
    if (body === undefined) return refuse('REQUEST_TOO_LARGE')

    const { route, pathParameters } = found
    const sourceIp = request.socket.remoteAddress ?? ''
    const resource = `/${route.path}`
    const asked = { method, target, resource, pathParameters, rawHeaders, body, sourceIp }
    const answer = await invoke(route, restEvent({ ...asked, requestId, receivedAtMs }))
    if (route.isStreamed) await sendStreamed(response, answer)
    else send(response, readProxyAnswer(answer))
  }

  return {
    url,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** @throws Error when it is malformed, or breaks off: then the connection is cut */
async function sendStreamed(response: ServerResponse, { json, stream }: FunctionAnswer): Promise<void> {
  if (stream === undefined) throw new Error('Malformed Lambda proxy response: the route is one that streams')
  try {
    const { status, headers } = readStreamMetadata(json)
    response.writeHead(status, headers.flat())
    await pipeline(stream, response)
  } finally {
    stream.destroy()
  }
}
