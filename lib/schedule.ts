import type { Context } from 'aws-lambda'
import { Failure } from './domain/failure.ts'
import type { Log } from './log.ts'
import type { Clock } from './time.ts'

/** What a run of a scheduled function is given. */
interface Run {
  /** Each line names the run and the function. */
  log: Log
  /** Aborts early enough before the function's time-out for the run to report. */
  signal: AbortSignal
}

/** As Lambda calls it; the event says nothing that matters. */
export type ScheduledHandler = (event: unknown, context: Context) => Promise<void>

/** Milliseconds of the function's time that are kept for the end of a run. */
const reserveMs = 5_000

/** A handler that gives each run its log and its deadline, and leaves nothing running behind. */
export const scheduled =
  ({ clock, log }: { clock: Clock; log: Log }, run: (run: Run) => Promise<void>): ScheduledHandler =>
  async (_, { awsRequestId, functionName, getRemainingTimeInMillis }) => {
    const common = { request_id: awsRequestId, function: functionName }
    const expiry = new AbortController()
    const expire = () => expiry.abort(new Failure('wait_expired'))
    const cancel = clock.schedule(clock.nowMs() + getRemainingTimeInMillis() - reserveMs, expire)
    try {
      await run({ log: (event, facts) => log(event, { ...common, ...facts }), signal: expiry.signal })
    } finally {
      cancel()
      expire()
    }
  }
