import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Route } from '../../serverless/service-definition.ts'
import type { FunctionAnswer } from '../lambda/receive-answer.ts'
import { close, listen } from '../../listen.ts'
import { findRoute } from './find-route.ts'
import { type GatewayAnswers, malformedRequest } from './gateway-answers.ts'
import { readProxyAnswer, readStreamMetadata } from './proxy-answer.ts'
import { exceedsHeaderQuota, parserMaxBytes, readBody } from './quotas.ts'
import { asText, type Reply, send } from './reply.ts'
import { strictRequestLines } from './request-line.ts'
import { restEvent } from './rest-event.ts'

export interface GatewayOptions {
  /** 0 selects a free port. */
  port: number
  routes: readonly Route[]
  answers: GatewayAnswers
  /** Calls the function of a route; rejects when Lambda would report an error. */
  invoke(route: Route, event: ReturnType<typeof restEvent>): Promise<FunctionAnswer>
  /** Answers requests for local pages, which AWS does not have; undefined for any other request. */
  pages?(request: IncomingMessage): Promise<Reply | undefined>
  /** Gets the reason when the gateway answers 5xx because the function's answer cannot be sent. */
  report?(reason: string): void
}

export interface Gateway {
  url: string
  stop(): Promise<void>
}

/** The codes of errors of a client that closed the connection. */
const clientLeft = /^(ECONNRESET|ERR_STREAM_PREMATURE_CLOSE)$/

/**
 * A local API Gateway: finds the route, enforces quotas, builds the event, checks the function's answer, and answers itself
 * when there is no valid one.
 *
 * @throws EADDRINUSE or EACCES when the port cannot be used
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { port, routes, answers, invoke, pages, report } = options
  const server = createServer({ maxHeaderSize: parserMaxBytes, requireHostHeader: false })
  // Otherwise a client that has sent all and closed its half of the connection would get no answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  const hasStrictLine = strictRequestLines(server)
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
    request.on('error', () => {}) // the client closed the connection while nothing reads
    const { method = '', url = '', rawHeaders } = request
    if (!hasStrictLine(request) || request.headersDistinct.host?.length !== 1)
      return refuseMalformed(request, response)
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

  return { url, stop: () => close(server) }
}

/** @throws Error when the answer is malformed or breaks off; the connection is then closed */
async function sendStreamed(response: ServerResponse, { json, stream }: FunctionAnswer): Promise<void> {
  if (stream === undefined) throw new Error('Malformed Lambda proxy response: the route streams')
  try {
    const { status, headers } = readStreamMetadata(json)
    response.writeHead(status, headers.flat())
    await pipeline(stream, response)
  } finally {
    stream.destroy()
  }
}
