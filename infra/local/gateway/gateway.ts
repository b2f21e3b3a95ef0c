import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { close, listen } from '../../listen.ts'
import { type GatewayCode, gatewayAnswer } from '../../resources/gateway-responses.ts'
import type { Route } from '../../serverless/service-definition.ts'
import type { FunctionAnswer } from '../functions/runtime.ts'
import { type Asked, askedBy } from './asked.ts'
import { findRoute } from './find-route.ts'
import { type Reply, send } from './reply.ts'
import { logAnswer } from './request-log.ts'
import { restEvent } from './rest-event.ts'

export interface GatewayOptions {
  /** 0 selects a free port. */
  port: number
  routes: readonly Route[]
  /** The deprecation headers of the endpoints' answers. */
  deprecation: Record<string, string>
  /** Resolves when the functions are ready, with what calls one; a request's time begins after it. */
  ready(): Promise<(route: Route, event: ReturnType<typeof restEvent>) => Promise<FunctionAnswer>>
  /** Answers requests for local pages, which AWS does not have; undefined for any other request. */
  pages?(request: Asked): Promise<Reply | undefined>
  /** Gets a line for each request, and one with the reason when the function's answer cannot be sent. */
  log(line: string): void
}

export interface Gateway {
  url: string
  stop(): Promise<void>
}

/**
 * A local API Gateway: finds the route, builds the event, sends the function's answer, and answers itself when there is none
 * that can be sent.
 *
 * @throws EADDRINUSE or EACCES when the port cannot be used
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { port, routes, deprecation, ready, pages, log } = options
  const answerOf = (code: GatewayCode, requestId: string): Reply => {
    const { headers, ...answer } = gatewayAnswer(code, requestId, deprecation)
    return { ...answer, headers: Object.entries(headers) }
  }
  const server = createServer(async (request, response) => {
    const requestId = randomUUID()
    const asked = askedBy(request)
    const page = await pages?.(asked).catch(
      (error: Error): Reply => ({ status: 500, headers: [], body: error.message }),
    )
    if (page !== undefined) return send(response, page)
    const watch = logAnswer(asked, request, response, log)
    const answer = (reply: Reply) => {
      send(response, reply)
      watch(reply)
    }
    try {
      answer(await answerTo(request, asked, requestId))
    } catch (error) {
      if (response.destroyed) return // the client has left
      log(`failed     ${request.method} ${request.url}: ${(error as Error).message.split('\n', 1)}`)
      answer(answerOf('internal_error', requestId))
    }
  })

  async function answerTo(
    request: IncomingMessage,
    { method, target }: Asked,
    requestId: string,
  ): Promise<Reply> {
    const { rawHeaders, socket } = request
    const found = findRoute(routes, method, target)
    if (found === undefined) return answerOf('route_not_found', requestId)
    const body = await buffer(request)
    const invoke = await ready()
    const { route, pathParameters } = found
    const asked = { method, target, resource: `/${route.path}`, pathParameters, rawHeaders, body }
    const received = { sourceIp: socket.remoteAddress ?? '', requestId, receivedAtMs: Date.now() }
    return replyOf(await invoke(route, restEvent({ ...asked, ...received })))
  }

  return { url: `http://127.0.0.1:${await listen(server, port)}`, stop: () => close(server) }
}

/** A function's answer as an HTTP answer. @throws Error when it is malformed */
function replyOf(answer: FunctionAnswer): Reply {
  const { statusCode, headers = {}, body } = answer
  return {
    status: statusCode,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    body:
      body instanceof Readable
        ? body
        : Buffer.from(body, 'isBase64Encoded' in answer && answer.isBase64Encoded ? 'base64' : 'utf8'),
  }
}
