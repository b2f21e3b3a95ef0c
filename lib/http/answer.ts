import type { Config } from '../config.ts'
import { asFailure } from '../domain/failure.ts'
import type { SamlProvider } from '../domain/resources.ts'
import { commonHeaders } from './common-headers.ts'
import { deprecationHeaders } from './deprecation.ts'
import { chooseCoding, encoded, encodedBytes } from './encoding.ts'
import { dataPieces } from './envelope.ts'
import { problem } from './problem.ts'
import {
  type ApiContext,
  type ApiRequest,
  type Head,
  headerLines,
  type OpenStream,
  type Step,
} from './request.ts'
import { assertStreamable, send } from './transfer.ts'
import type { Budget } from './wait-budget.ts'

/** What the steps may have added by the time the answer is written. */
type Known = ApiRequest & { budget?: Budget; provider?: { resource: SamlProvider }; hasBegun?: true }

/**
 * What the handler returns → the `data` envelope; whatever was thrown → problem details; on both the common headers.
 *
 * Where the answer is streamed, the wait is over with its first byte: the sending may take what the function's time-out
 * leaves. A failure after that byte cuts the answer.
 */
export function answer({ config }: { config: Config }): Step {
  const headOf = (event: Known, statusCode: number, headers: Record<string, string>): Head => ({
    statusCode,
    headers: { ...headersFor(event, config), ...headers },
  })
  return {
    after: async request => {
      const { context, event }: { context: ApiContext; event: Known } = request
      const coding = chooseCoding(headerLines(event, 'accept-encoding'), config.contentCodings)
      const head = headOf(event, 200, {
        'Content-Type': 'application/json',
        ...(coding !== 'identity' && { 'Content-Encoding': coding }),
      })
      const checkSize = (text: string, times: number) => assertStreamable(encodedBytes(text, coding) * times)
      const pieces = encoded(dataPieces(request.response, checkSize), coding)
      request.response = await send(head, pieces, beginning(event, context), event.budget?.signal)
    },
    onError: async request => {
      const event: Known = request.event
      if (event.hasBegun) return // nothing else can follow
      const { requestId } = event.requestContext
      const { statusCode, headers, body } = problem(asFailure(request.error), requestId, config.realm)
      request.response = await send(headOf(event, statusCode, headers), [body], request.context.openStream)
    },
  }
}

/** Opens the stream of a 200, if there is to be one, and notes that it has begun. */
const beginning = (
  event: Known,
  { openStream, getRemainingTimeInMillis }: ApiContext,
): OpenStream | undefined =>
  openStream &&
  (head => {
    event.hasBegun = true
    event.budget?.allowSending(getRemainingTimeInMillis())
    return openStream(head)
  })

const headersFor = ({ requestContext, budget, provider }: Known, { deprecation }: Config) => ({
  ...commonHeaders,
  'X-Request-Id': requestContext.requestId,
  ...deprecationHeaders(deprecation, provider?.resource),
  ...(budget?.waitMs !== undefined && { 'Preference-Applied': `wait=${budget.waitMs / 1000}` }),
})
