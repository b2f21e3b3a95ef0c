import type { Writable } from 'node:stream'
import middy, { type MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'

/** The event of API Gateway's REST API. */
export type ApiRequest = APIGatewayProxyEvent
/** The answer of a function to API Gateway. */
export type ApiAnswer = APIGatewayProxyResult
/** Status and headers of an answer. */
export type Head = Pick<ApiAnswer, 'statusCode' | 'headers'>
/** Opens the stream of an answer; status and headers are sent with its first bytes. */
export type OpenStream = (head: Head) => Writable
/** Lambda's context; with `openStream`, the answer is streamed. */
export type ApiContext = Context & { openStream?: OpenStream }

/** A middleware. Its type has what it adds to the request, so that a pipeline without it does not compile. */
export type Step<Adds = unknown> = MiddlewareObj<
  ApiRequest & Adds,
  // biome-ignore lint/suspicious/noExplicitAny: middy's own default; each step gives the answer another shape
  any,
  Error,
  ApiContext
>

/** A step before the handler, which refuses the request by throwing; `Needs` is what earlier steps added. */
export const step = <Adds, Needs = unknown>(
  before: (event: ApiRequest & Needs & Adds) => void | Promise<void>,
): Step<Adds> => ({ before: ({ event }) => before(event as ApiRequest & Needs & Adds) })

/**
 * Runs two steps concurrently. A refusal of the first wins over one of the second, and what the second adds to the request
 * is visible only after the first has passed. When the first refuses, a running read of the second is aborted with the
 * request's budget.
 */
export const concurrently = <First, Second>(
  first: Step<First>,
  second: Step<Second>,
): Step<First & Second> => ({
  before: async request => {
    const event: ApiRequest & First & Second = Object.create(request.event)
    const later = (async () => second.before?.({ ...request, event }))()
    later.catch(() => {})
    await first.before?.(request)
    await later
    Object.assign(request.event, event)
  },
})

/** The values of all lines of a header, in order; names are case-insensitive (RFC 9110 §5.1). */
export function headerLines({ multiValueHeaders, headers }: ApiRequest, name: string): string[] {
  // Both may be null in events of API Gateway's console.
  const lines = valuesOf(multiValueHeaders ?? {}, name)
  return lines.length > 0 ? lines : valuesOf(headers ?? {}, name)
}

function valuesOf(headers: Record<string, string | string[] | undefined>, name: string): string[] {
  return Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []))
}

/** An empty pipeline. middy's early time-out is off: the request's budget is the only time limit. */
export const pipeline = () => middy<ApiRequest, unknown, Error, ApiContext>({ timeoutEarlyInMillis: 0 })
