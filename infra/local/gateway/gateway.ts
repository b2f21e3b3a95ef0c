import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type GatewayCode, gatewayAnswer } from '../../resources/gateway-responses.ts'
import type { Route } from '../../serverless/service-definition.ts'
import type { FunctionAnswer } from '../lambda/receive-answer.ts'
import { close, listen } from '../../listen.ts'
import { findRoute } from './find-route.ts'
import { readHead, readProxyAnswer } from './proxy-answer.ts'
import { exceedsHeaderQuota, parserMaxBytes, readBody } from './quotas.ts'
import { logAnswer } from './request-log.ts'
import { type Reply, send } from './reply.ts'
import { restEvent } from './rest-event.ts'

export interface GatewayOptions {
  /** 0 selects a free port. */
  port: number
  routes: readonly Route[]
  /** The deprecation headers of the endpoints' answers. */
  deprecation: Record<string, string>
  /** Calls the function of a route; rejects when Lambda would report an error. */
  invoke(route: Route, event: ReturnType<typeof restEvent>): Promise<FunctionAnswer>
  /** Answers requests for local pages, which AWS does not have; undefined for any other request. */
  pages?(request: IncomingMessage): Promise<Reply | undefined>
  /** Resolves when the functions are ready; a request's time begins after it. */
  ready?(): Promise<unknown>
  /** Gets a line for each request, and one with the reason when the function's answer cannot be sent. */
  log?(line: string): void
}

export interface Gateway {
  url: string
  stop(): Promise<void>
}

/** The codes of errors of a client that closed the connection. */
const clientLeft = /^(ECONNRESET|ERR_STREAM_PREMATURE_CLOSE)$/

/**
 * A local API Gateway: finds the route, enforces quotas, builds the event, sends the function's answer, and answers itself
 * when there is none that can be sent.
 *
 * @throws EADDRINUSE or EACCES when the port cannot be used
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { port, routes, deprecation, invoke, pages, ready, log = () => {} } = options
  const server = createServer({ maxHeaderSize: parserMaxBytes })
  const own = (code: GatewayCode, requestId: string): Reply => {
    const { headers, ...answer } = gatewayAnswer(code, requestId, deprecation)
    return { ...answer, headers: Object.entries(headers) }
  }
  server.on('request', async (request, response) => {
    request.on('error', () => {}) // the client closed the connection while nothing reads
    const requestId = randomUUID()
    const watch = logAnswer(request, response, log)
    const answer = (reply: Reply) => {
      watch(reply.headers, reply.body)
      send(response, reply)
    }
    try {
      const called = await call(request, requestId)
      if ('body' in called) return answer(called)
      if (!called.route.isStreamed) return answer(readProxyAnswer(called))
      await sendStreamed(response, called, watch)
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      if (clientLeft.test(code)) return
      log(`failed     ${request.method} ${request.url}: ${message.split('\n', 1)}`)
      answer(own('internal_error', requestId))
    }
  })
  const url = `http://127.0.0.1:${await listen(server, port)}`

  /** @returns the function's answer with its route, or the answer of a page or of the gateway itself */
  async function call(request: IncomingMessage, requestId: string) {
    const { method = '', url = '', rawHeaders, socket } = request
    const page = await pages?.(request)
    if (page !== undefined) return page
    const target = url.replace(/^https?:\/\/[^/?]*/i, '')
    const found = findRoute(routes, method, target)
    if (exceedsHeaderQuota(rawHeaders)) return own('request_too_large', requestId)
    if (found === undefined) return own('route_not_found', requestId)
    const body = await readBody(request)
    if (body === undefined) return own('request_too_large', requestId)

    await ready?.()
    const { route, pathParameters } = found
    const asked = { method, target, resource: `/${route.path}`, pathParameters, rawHeaders, body }
    const received = { sourceIp: socket.remoteAddress ?? '', requestId, receivedAtMs: Date.now() }
    return { route, ...(await invoke(route, restEvent({ ...asked, ...received }))) }
  }

  return { url, stop: () => close(server) }
}

/** @throws Error when the answer is malformed or breaks off; the connection is then closed */
async function sendStreamed(
  response: ServerResponse,
  { json, stream }: FunctionAnswer,
  watch: ReturnType<typeof logAnswer>,
): Promise<void> {
  if (stream === undefined) throw new Error('Malformed Lambda proxy response: the route streams')
  try {
    const { status, headers } = readHead(json)
    response.writeHead(status, headers.flat())
    watch(headers, stream)
    await pipeline(stream, response)
  } finally {
    stream.destroy()
  }
}
