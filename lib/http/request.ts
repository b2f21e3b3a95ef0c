import type { Writable } from 'node:stream'
import middy, { type MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'

/** A request as API Gateway's REST API hands it over. */
export type ApiRequest = APIGatewayProxyEvent
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
