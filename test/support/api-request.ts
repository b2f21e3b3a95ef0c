import { restEvent } from '../../infra/local/gateway/rest-event.ts'
import type { ApiRequest } from '../../lib/http/request.ts'
import type { FakeResponseStream } from './fake-response-stream.ts'

/** What a test asks for; the rest of the event is what API Gateway always sends. */
export interface Asked {
  method?: string
  resource?: string
  pathParameters?: Record<string, string>
  token?: string
  /** Header lines in order; instead of the usual Authorization. */
  headers?: [string, string][]
  /** Header lines besides Authorization. */
  more?: [string, string][]
  body?: string
  /** When the gateway got it; now, unless given. */
  receivedAtMs?: number
  /** Where a streamed answer goes. */
  stream?: FakeResponseStream
  /** How long the function may run on. */
  remainingMs?: number
}

/** The event of API Gateway, by the builder of the local gateway. */
export function apiRequest(asked: Asked, nowMs: number): ApiRequest {
  const { method = 'GET', resource = '/', pathParameters = {} } = asked
  return restEvent({
    method,
    target: resource.replace(/{(\w+)}/g, (variable, name) => pathParameters[name] ?? variable),
    resource,
    pathParameters,
    rawHeaders: (asked.headers ?? []).flat(),
    body: Buffer.from(asked.body ?? ''),
    sourceIp: '192.0.2.1',
    requestId: 'request-1',
    receivedAtMs: asked.receivedAtMs ?? nowMs,
  })
}
