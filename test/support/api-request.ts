import type { ApiRequest } from '../../lib/http/request.ts'

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
}

export function apiRequest(asked: Asked, nowMs: number): ApiRequest {
  const multiValueHeaders: Record<string, string[]> = {}
  for (const [name, value] of asked.headers ?? []) {
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value]
  }
  return {
    httpMethod: asked.method ?? 'GET',
    resource: asked.resource ?? '/',
    path: asked.resource ?? '/',
    pathParameters: asked.pathParameters ?? null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    // API Gateway keeps only the last line of each name here.
    headers: Object.fromEntries(
      Object.entries(multiValueHeaders).map(([name, lines]) => [name, lines.at(-1)]),
    ),
    multiValueHeaders,
    body: asked.body ?? null,
    isBase64Encoded: false,
    requestContext: { requestId: 'request-1', requestTimeEpoch: asked.receivedAtMs ?? nowMs },
  } as unknown as ApiRequest
}
