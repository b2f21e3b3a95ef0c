import type { Context } from 'aws-lambda'
import type { Config } from './config.ts'
import { Failure } from './domain/failure.ts'
import { type Log, logOf } from './log.ts'
import type { ScheduledRun } from './removal/finish-removals.ts'
import { type Clock, timeLimit } from './time.ts'

/** A handler for Lambda; the event is not used. */
export type ScheduledHandler = (event: unknown, context: Context) => Promise<void>

/** Milliseconds before the function's time-out at which a run's signal aborts: enough for its last log line. */
const reserveMs = 5_000
const runEnded = new Error('the run has ended')

/** Makes a handler that gives each run its log and its abort signal, and aborts the signal when the run ends. */
export const scheduled =
  (
    { clock, log, config }: { clock: Clock; log: Log; config: Pick<Config, 'deployment'> },
    run: (run: ScheduledRun) => Promise<void>,
  ): ScheduledHandler =>
  async (_, { awsRequestId, functionName, getRemainingTimeInMillis }) => {
    const endsAtMs = clock.nowMs() + getRemainingTimeInMillis() - reserveMs
    const limit = timeLimit(clock, endsAtMs, () => new Failure('wait_expired'))
    try {
      const ofRun = logOf(log, awsRequestId, functionName, config.deployment)
      await run({ log: ofRun, signal: limit.signal, endsAtMs })
    } finally {
      limit.end(runEnded)
    }
  }
