import type { Config } from '../config.ts'
import { asFailure } from '../domain/failure.ts'
import type { SamlProvider } from '../domain/resources.ts'
import { commonHeaders } from './common-headers.ts'
import { deprecationHeaders } from './deprecation.ts'
import { chooseCoding, type Coding, encodedPieces, encodedText } from './encoding.ts'
import { type Data, dataPieces, isPaged } from './envelope.ts'
import { problem } from './problem.ts'
import { type ApiRequest, type Head, headerLines, type Step } from './request.ts'
import { type Pieces, refuseTooLarge, send } from './transfer.ts'
import type { Budget } from './wait-budget.ts'

/** What the request has when it is answered, as far as its steps came. */
interface Answered {
  budget?: Budget
  provider?: { resource: SamlProvider }
  /** The status of a 200 is sent. */
  hasBegun?: true
}

/**
 * Answers with the handler's result in the `data` envelope, or with problem details for an error; both with the common
 * headers.
 *
 * The wait budget of a streamed answer ends with its first byte: sending it may take the rest of the function's time-out.
 * A failure after the first byte cuts the answer.
 */
export const answer = ({ config }: { config: Config }): Step<Answered> => ({
  after: async request => {
    const { event, response, context } = request
    const coding = chooseCoding(headerLines(event, 'accept-encoding'), config.contentCodings)
    const head = headOf(event, config, 200, {
      'Content-Type': 'application/json',
      ...(coding !== 'identity' && { 'Content-Encoding': coding }),
    })
    request.response = await send(head, bodyOf(response, coding), {
      openStream: context.openStream,
      onBegin: timeOutCode => {
        event.hasBegun = true
        event.budget?.allowSending(context.getRemainingTimeInMillis(), timeOutCode)
      },
      signal: event.budget?.signal,
    })
  },
  onError: async request => {
    const { event, context } = request
    if (event.hasBegun) return
    const { requestId } = event.requestContext
    const { statusCode, headers, body } = problem(asFailure(request.error), requestId)
    const head = headOf(event, config, statusCode, headers)
    request.response = await send(head, [body], { openStream: context.openStream })
  },
})

/** The body of a 200. Of rows in pages it begins before the second page is read. */
const bodyOf = (data: Data, coding: Coding): Pieces =>
  isPaged(data)
    ? encodedPieces(dataPieces(data, refuseTooLarge(coding)), coding)
    : [encodedText(JSON.stringify({ data }), coding)]

const headOf = (
  { requestContext, budget, provider }: ApiRequest & Answered,
  { deprecation }: Config,
  statusCode: number,
  headers: Record<string, string>,
): Head => ({
  statusCode,
  headers: {
    ...commonHeaders,
    'X-Request-Id': requestContext.requestId,
    ...deprecationHeaders(deprecation, provider?.resource),
    ...(budget?.waitMs !== undefined && { 'Preference-Applied': `wait=${budget.waitMs / 1000}` }),
    ...headers,
  },
})
