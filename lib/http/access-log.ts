import type { Identity } from '../auth/verifier.ts'
import { asFailure, reasonOf } from '../domain/failure.ts'
import type { Config } from '../config.ts'
import { type Log, logFailure, logOf } from '../log.ts'
import type { Clock } from '../time.ts'
import type { ApiContext, ApiRequest, Step } from './request.ts'
import type { Budget } from './wait-budget.ts'

/** What the request has when it is logged, as far as its steps came. */
interface Logged {
  log: Log
  budget?: Budget
  identity?: Identity
}

/**
 * The client as a dimension of metrics, of which each value is billed and kept: a subject must not become one, nor a name
 * that has no right to call, because anybody with a token of the issuer could add such names.
 */
const countedClient = (status: number, identity?: Identity): string | undefined =>
  status === 403 ? undefined : identity && (identity.clientId ?? '<unnamed>')

/**
 * Adds the request's log, whose lines have the ids of request, function and deployment, and writes one `request_answered`
 * after the answer is complete or, when it is streamed, sent. The reason of a failure is logged before it.
 */
export function accessLog({ clock, config, log }: { clock: Clock; config: Config; log: Log }): Step<Logged> {
  let isFirst = true
  const logAnswer = (event: ApiRequest & Logged, status: number, code?: string) => {
    const { budget, identity } = event
    event.log('request_answered', {
      method: event.httpMethod,
      route: event.resource,
      status,
      code,
      wait_ms: budget?.waitMs,
      duration_ms: budget && clock.nowMs() - budget.receivedAtMs,
      cold_start: isFirst,
      version: config.version,
      issuer: identity?.issuer,
      client_id: identity?.clientId,
      client: countedClient(status, identity),
      subject: identity?.subject,
    })
    isFirst = false
  }

  const ofRequest = ({ requestContext }: ApiRequest, { functionName }: ApiContext) =>
    logOf(log, requestContext.requestId, functionName, config.deployment)

  return {
    before: ({ event, context }) => {
      event.log = ofRequest(event, context)
    },
    after: ({ event, response }) => logAnswer(event, response.statusCode),
    onError: ({ event, context, error, response }) => {
      event.log ??= ofRequest(event, context) // an event that was refused before this step
      const failure = asFailure(error)
      logFailure(event.log, failure)
      // The failure has no answer of its own: it interrupted a 200 that was being streamed.
      if (response === undefined) event.log('answer_cut', { code: failure.code, reason: reasonOf(failure) })
      logAnswer(event, response?.statusCode ?? 200, failure.code)
    },
  }
}
