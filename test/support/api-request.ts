import { restEvent } from '../../infra/local/gateway/rest-event.ts'
import type { ApiRequest } from '../../lib/http/request.ts'
import type { FakeResponseStream } from './fake-response-stream.ts'

/** A request of a test; the rest of the event is what API Gateway always sends. */
export interface TestRequest {
  method?: string
  resource?: string
  pathParameters?: Record<string, string>
  token?: string
  /** Header lines in order, which replace the default Authorization. */
  headers?: [string, string][]
  /** Header lines besides Authorization. */
  more?: [string, string][]
  body?: string
  /** When the gateway received it; now by default. */
  receivedAtMs?: number
  /** The destination of a streamed answer. */
  stream?: FakeResponseStream
  /** The remaining time of the function. */
  remainingMs?: number
}

/** The event of API Gateway, as the local gateway builds it. */
export function apiRequest(request: TestRequest, nowMs: number): ApiRequest {
  const { method = 'GET', resource = '/', pathParameters = {} } = request
  return restEvent({
    method,
    target: resource.replace(/{(\w+)}/g, (variable, name) => pathParameters[name] ?? variable),
    resource,
    pathParameters,
    rawHeaders: (request.headers ?? []).flat(),
    body: Buffer.from(request.body ?? ''),
    sourceIp: '192.0.2.1',
    requestId: 'request-1',
    receivedAtMs: request.receivedAtMs ?? nowMs,
  })
}
