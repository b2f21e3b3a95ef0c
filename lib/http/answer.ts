import type { Clock } from '../time.ts'
import type { Config } from '../config.ts'
import { Failure } from '../domain/failure.ts'
import type { SamlProvider } from '../domain/resources.ts'
import type { Log } from '../log.ts'
import type { Caller } from './bearer.ts'
import { commonHeaders } from './common-headers.ts'
import { deprecationHeaders } from './deprecation.ts'
import { chooseCoding, encodeBody } from './encoding.ts'
import { dataPieces } from './envelope.ts'
import { problem } from './problem.ts'
import { type ApiAnswer, type ApiRequest, headerLines, type Step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** What the steps may have added by the time the answer is written. */
type Known = ApiRequest & {
  log: Log
  budget?: Budget
  caller?: Caller
  provider?: { resource: SamlProvider }
}

/** What the handler returns → the `data` envelope; whatever was thrown → problem details; on both the common headers. */
export function answer({ clock, config }: { clock: Clock; config: Config }): Step<{ log: Log }> {
  let isFirst = true
  const send = (event: Known, { statusCode, headers, ...content }: Content, code?: string): ApiAnswer => {
    if (code === 'wait_expired' || code === 'removal_unfinished')
      event.log('budget_expired', { code, wait_ms: event.budget?.waitMs })
    event.log('request_answered', {
      method: event.httpMethod,
      route: event.resource,
      status: statusCode,
      code,
      // From the moment the gateway received it, as the client counts; the two clocks are not one.
      duration_ms: Math.max(0, clock.nowMs() - event.requestContext.requestTimeEpoch),
      cold_start: isFirst,
      issuer: event.caller?.issuer,
      client: event.caller && clientOf(event.caller),
      subject: event.caller?.subject,
    })
    isFirst = false
    return { statusCode, headers: { ...headersFor(event, config), ...headers }, ...content }
  }

  return {
    after: async request => {
      const coding = chooseCoding(headerLines(request.event, 'accept-encoding'), config.contentCodings)
      const { headers, ...content } = await encodeBody(dataPieces(request.response), coding)
      const headed = { 'Content-Type': 'application/json', ...headers }
      request.response = send(request.event, { statusCode: 200, headers: headed, ...content })
    },
    onError: request => {
      const { event, error } = request
      const { requestId } = event.requestContext
      const failure = error instanceof Failure ? error : new Failure('internal_error', {}, error)
      const cause = failure.cause instanceof Error ? failure.cause : undefined
      if (failure.code === 'internal_error')
        event.log('unexpected_error', {
          error: cause?.name,
          message: cause?.message,
          stack: cause?.stack,
        })
      const explained = explainedCodes.find(code => code === failure.code)
      if (explained !== undefined) event.log(explained, { reason: firstCause(failure) })
      request.response = send(event, problem(failure, requestId, config.realm), failure.code)
    },
  }
}

/** Failures that somebody other than the client must understand. */
const explainedCodes = ['token_rejected', 'issuer_unavailable', 'table_busy'] as const

function firstCause(error: Error): string {
  return error.cause instanceof Error ? firstCause(error.cause) : error.message
}

interface Content {
  statusCode: number
  headers: Record<string, string>
  body: string
  isBase64Encoded?: boolean
}

/** Whom to talk to about the move: a program. People whose token names none stand together, for metrics outlive users. */
const clientOf = (caller: Caller) => {
  const isMachine = 'user' in caller && caller.user === undefined
  return caller.clientId ?? (isMachine ? caller.subject : 'people')
}

const headersFor = ({ requestContext, budget, provider }: Known, { deprecation }: Config) => ({
  ...commonHeaders,
  'X-Request-Id': requestContext.requestId,
  ...deprecationHeaders(deprecation, provider?.resource),
  ...(budget?.waitMs !== undefined && { 'Preference-Applied': `wait=${budget.waitMs / 1000}` }),
})
