import type { Writable } from 'node:stream'
import middy, { type MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'

/** A request as API Gateway's REST API hands it over. */
export type ApiRequest = APIGatewayProxyEvent
/** The answer of a function to API Gateway. */
export type ApiAnswer = APIGatewayProxyResult
/** Status and headers of an answer. */
export type Head = Pick<ApiAnswer, 'statusCode' | 'headers'>
/** Opens the stream of an answer; the head leaves with the first bytes that are written to it. */
export type OpenStream = (head: Head) => Writable
/** Lambda's context; one that can open a stream wants the answer in it. */
export type ApiContext = Context & { openStream?: OpenStream }

/** A middleware, seen from outside: what it adds to the request is in its type, so that forgetting it does not compile. */
export type Step<Adds = unknown> = MiddlewareObj<
  ApiRequest & Adds,
  // biome-ignore lint/suspicious/noExplicitAny: middy's own default; each step gives the answer another shape
  any,
  Error,
  ApiContext
>

/** A step that looks at the request before the handler does, and refuses it by throwing; `Needs` is what others added. */
export const step = <Adds, Needs = unknown>(
  before: (event: ApiRequest & Needs & Adds) => void | Promise<void>,
): Step<Adds> => ({ before: ({ event }) => before(event as ApiRequest & Needs & Adds) })

/**
 * Two steps that read at the same time. What the first refuses counts before what the second does, and what the second
 * adds to the request counts once the first has let it in; else a read of the second that is still under way ends with
 * the request's budget.
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
  // Both are null where API Gateway's console or a hand-written event leaves them out.
  const lines = valuesOf(multiValueHeaders ?? {}, name)
  return lines.length > 0 ? lines : valuesOf(headers ?? {}, name)
}

function valuesOf(headers: Record<string, string | string[] | undefined>, name: string): string[] {
  return Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []))
}

/** An empty pipeline; middy's own early time-out is off, because the request's budget is the only one. */
export const pipeline = () => middy<ApiRequest, unknown, Error, ApiContext>({ timeoutEarlyInMillis: 0 })
