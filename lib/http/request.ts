import type { Writable } from 'node:stream'
import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'

export type ApiRequest = APIGatewayProxyEvent
export type ApiAnswer = APIGatewayProxyResult
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

type StepBefore<Adds> = Step<Adds> & { add(event: ApiRequest): Promise<Adds> }

/** Makes a step from what it adds; it refuses the request by throwing. `Needs` is what earlier steps added. */
export function step<Adds, Needs = unknown>(
  whatToAdd: (event: ApiRequest & Needs) => Adds | Promise<Adds>,
): StepBefore<Adds> {
  const add = async (event: ApiRequest) => whatToAdd(event as ApiRequest & Needs)
  return { add, before: async ({ event }) => void Object.assign(event, await add(event)) }
}

/**
 * Runs two steps concurrently. A refusal of the first wins over one of the second, and what the second adds to the request
 * is visible only after the first has passed. When the first refuses, a running read of the second is aborted with the
 * request's budget.
 */
export const concurrently = <First, Second>(first: StepBefore<First>, second: StepBefore<Second>) =>
  step<First & Second>(async event => {
    const later = second.add(event)
    later.catch(() => {})
    return { ...(await first.add(event)), ...(await later) }
  })

/** The values of all lines of a header, in order; names are case-insensitive (RFC 9110 §5.1). */
export const headerLines = ({ multiValueHeaders }: ApiRequest, name: string): string[] =>
  // null in an event of API Gateway's console that has no headers.
  Object.entries(multiValueHeaders ?? {}).flatMap(([key, lines = []]) =>
    key.toLowerCase() === name ? lines : [],
  )
