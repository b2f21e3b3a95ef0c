import type { Context } from 'aws-lambda'
import { Failure } from './domain/failure.ts'
import type { Log } from './log.ts'
import { type Clock, timeLimit } from './time.ts'

/** The context of a run of a scheduled function. */
interface Run {
  /** Adds the ids of run and function to each line. */
  log: Log
  /** Aborts before the function's time-out, early enough for the run's last log line. */
  signal: AbortSignal
  /** When the signal aborts, in milliseconds since the Unix epoch. */
  endsAtMs: number
}

/** A handler for Lambda; the event is not used. */
export type ScheduledHandler = (event: unknown, context: Context) => Promise<void>

/** Milliseconds before the time-out at which the signal aborts. */
const reserveMs = 5_000
const runEnded = new Error('the run has ended')

/** Makes a handler that gives each run its log and its abort signal, and aborts the signal when the run ends. */
export const scheduled =
  ({ clock, log }: { clock: Clock; log: Log }, run: (run: Run) => Promise<void>): ScheduledHandler =>
  async (_, { awsRequestId, functionName, getRemainingTimeInMillis }) => {
    const common = { request_id: awsRequestId, function: functionName }
    const endsAtMs = clock.nowMs() + getRemainingTimeInMillis() - reserveMs
    const limit = timeLimit(clock, endsAtMs, () => new Failure('wait_expired'))
    try {
      await run({
        log: (event, facts) => log(event, { ...common, ...facts }),
        signal: limit.signal,
        endsAtMs,
      })
    } finally {
      limit.end(runEnded)
    }
  }
