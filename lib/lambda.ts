import type { MiddyfiedHandler } from '@middy/core'
import type { StreamifyHandler } from 'aws-lambda'
import type { Identity } from './auth/verifier.ts'
import { readConfig } from './config.ts'
import { createDeps, type Deps, systemAdapters } from './deps.ts'
import type { Caller } from './http/caller.ts'
import type { Data } from './http/envelope.ts'
import type { ApiAnswer, ApiContext, ApiRequest, Head } from './http/request.ts'
import type { ScheduledHandler } from './schedule.ts'
import { timeLimit } from './time.ts'

type Handler = (event: ApiRequest, context: ApiContext) => Promise<ApiAnswer>
/** A pipeline that does not load a caller does not compile: no endpoint is public. */
type Endpoint<Request> = (deps: Deps) => MiddyfiedHandler<Request, Data>

/** The time limit of the warm-up of an execution environment. */
const warmUpMs = 2000

let shared: Deps | undefined

/**
 * Makes the Lambda handler of an endpoint. Connections are opened and keys are fetched while the execution environment
 * starts.
 *
 * A wrong configuration fails each call with `internal_error`. It does not crash the start, which Lambda would repeat and
 * bill.
 */
export async function onLambda<Request extends { identity: Identity; caller: Caller }>(
  endpoint: Endpoint<Request>,
): Promise<Handler | StreamifyHandler> {
  try {
    const deps = depsOfProcess()
    const handle = endpoint(deps)
    await warmUp(deps)
    const answer = handle as unknown as Handler
    return deps.config.responseTransferMode === 'STREAM' ? streaming(answer) : answer
  } catch (error) {
    return () => Promise.reject(error)
  }
}

/**
 * A handler for Lambda's response streams. The pipeline writes the answer itself, so that log, budget and error handling
 * last until it is sent; middy's own streaming mode ends them before.
 */
const streaming = (handle: Handler): StreamifyHandler<ApiRequest> =>
  awslambda.streamifyResponse(async (event, stream, context) => {
    const openStream = (head: Head) => awslambda.HttpResponseStream.from(stream, { ...head })
    await handle(event, Object.assign(context, { openStream }))
  })

/** Makes the Lambda handler of a scheduled function; a wrong configuration fails each run. */
export function onSchedule(scheduled: (deps: Deps) => ScheduledHandler): ScheduledHandler {
  try {
    return scheduled(depsOfProcess())
  } catch (error) {
    return () => Promise.reject(error)
  }
}

function depsOfProcess(): Deps {
  shared ??= createDeps(readConfig(), systemAdapters())
  return shared
}

/**
 * Opens the connection with one read, and loads the SDK's lazy modules and the keys. A failure is only logged.
 *
 * @internal
 */
export async function warmUp({ clock, log, findProvider, verifyToken }: Deps) {
  const limit = timeLimit(clock, clock.nowMs() + warmUpMs, () => new Error('the warm-up took too long'))
  try {
    await Promise.all([findProvider(0, limit.signal), verifyToken.warm({ log, signal: limit.signal })])
  } catch (error) {
    log('warm_up_failed', { message: (error as Error).message })
  } finally {
    limit.end()
  }
}
