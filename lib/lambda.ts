import type { MiddyfiedHandler } from '@middy/core'
import type { StreamifyHandler } from 'aws-lambda'
import type { Identity } from './auth/verifier.ts'
import { processConfig } from './config.ts'
import { createDeps, type Deps, systemAdapters } from './deps.ts'
import type { Caller } from './http/caller.ts'
import type { ApiAnswer, ApiContext, ApiRequest, Head } from './http/request.ts'
import type { ScheduledHandler } from './schedule.ts'

type Handler = (event: ApiRequest, context: ApiContext) => Promise<ApiAnswer>
/** A pipeline that does not end with a known caller does not compile: nothing here is open to everybody. */
type Endpoint<Request> = (deps: Deps) => MiddyfiedHandler<Request, unknown>

/** How long an execution environment may spend on making its first request fast. */
const warmUpMs = 2000

let shared: Deps | undefined

/**
 * The endpoint as Lambda calls it, with connections opened and keys fetched while the execution environment starts.
 *
 * A faulty configuration does not crash the start, which Lambda would repeat and bill for: it fails each call, and
 * API Gateway then answers `internal_error`.
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
 * The handler for Lambda's response streams. The pipeline writes the answer itself, so that its log, its budget and its
 * failures last until the answer has left; middy's own mode for streams ends them before.
 */
const streaming = (handle: Handler): StreamifyHandler<ApiRequest> =>
  awslambda.streamifyResponse(async (event, stream, context) => {
    const openStream = (head: Head) => awslambda.HttpResponseStream.from(stream, { ...head })
    await handle(event, Object.assign(context, { openStream }))
  })

/** The scheduled function as Lambda calls it; a faulty configuration fails each run, which Lambda's metrics count. */
export function onSchedule(scheduled: (deps: Deps) => ScheduledHandler): ScheduledHandler {
  try {
    return scheduled(depsOfProcess())
  } catch (error) {
    return () => Promise.reject(error)
  }
}

function depsOfProcess(): Deps {
  shared ??= createDeps(processConfig(), systemAdapters())
  return shared
}

/** One throw-away read opens the connection and loads what the SDK loads late; a failure is for the requests to meet. */
async function warmUp({ clock, log, findProvider, verifyToken }: Deps) {
  const expiry = new AbortController()
  const cancel = clock.schedule(clock.nowMs() + warmUpMs, () =>
    expiry.abort(new Error('the warm-up took too long')),
  )
  try {
    await Promise.all([findProvider(0, expiry.signal), verifyToken.warm(expiry.signal)])
  } catch (error) {
    log('warm_up_failed', { message: (error as Error).message })
  } finally {
    cancel()
    expiry.abort()
  }
}
