import type { Config } from '../config.ts'
import { asFailure, Failure } from '../domain/failure.ts'
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
import { fitsStream, send } from './transfer.ts'
import type { Budget } from './wait-budget.ts'

/** What the steps may have added to the request. */
type Known = ApiRequest & { budget?: Budget; provider?: { resource: SamlProvider }; hasBegun?: true }

/**
 * Answers with the handler's result in the `data` envelope, or with problem details for an error; both with the common
 * headers.
 *
 * The wait budget of a streamed answer ends with its first byte: sending it may take the rest of the function's time-out.
 * A failure after the first byte cuts the answer.
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
      const checkSize = (firstPage: string, times: number) => {
        if (fitsStream(Buffer.byteLength(firstPage) * times)) return
        if (!fitsStream(encodedBytes(firstPage, coding) * times)) throw new Failure('answer_too_large')
      }
      const pieces = encoded(dataPieces(request.response, checkSize), coding)
      request.response = await send(head, pieces, beginning(event, context), event.budget?.signal)
    },
    onError: async request => {
      const event: Known = request.event
      if (event.hasBegun) return // the status is already sent
      const { requestId } = event.requestContext
      const { statusCode, headers, body } = problem(asFailure(request.error), requestId, config.realm)
      request.response = await send(headOf(event, statusCode, headers), [body], request.context.openStream)
    },
  }
}

/** Opens the stream of a 200 and records that it has begun; undefined when answers are buffered. */
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
