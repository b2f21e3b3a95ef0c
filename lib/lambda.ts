import type { MiddyfiedHandler } from '@middy/core'
import type { Context } from 'aws-lambda'
import { processConfig } from './config.ts'
import { connect, type Deps, outside } from './deps.ts'
import type { Caller } from './http/bearer.ts'
import type { ApiAnswer, ApiRequest } from './http/request.ts'
import type { ScheduledHandler } from './schedule.ts'

type Handler = (event: ApiRequest, context: Context) => Promise<ApiAnswer>
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
export async function onLambda<Request extends { caller: Caller }>(
  endpoint: Endpoint<Request>,
): Promise<Handler> {
  try {
    const deps = depsOfProcess()
    const handle = endpoint(deps)
    await warmUp(deps)
    return handle as unknown as Handler
  } catch (error) {
    return () => Promise.reject(error)
  }
}

/** The scheduled function as Lambda calls it; a faulty configuration fails each run, which Lambda's metrics count. */
export function onSchedule(scheduled: (deps: Deps) => ScheduledHandler): ScheduledHandler {
  try {
    return scheduled(depsOfProcess())
  } catch (error) {
    return () => Promise.reject(error)
  }
}

function depsOfProcess(): Deps {
  shared ??= connect(processConfig(), outside())
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
