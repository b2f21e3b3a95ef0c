import { randomUUID } from 'node:crypto'
import { type Clock, delay } from '../../lib/time.ts'
import { scheduledFunctions } from '../serverless/service-definition.ts'
import type { Functions } from './lambda/functions.ts'

/**
 * Runs the scheduled functions repeatedly, as EventBridge does on AWS, but never two runs at once.
 *
 * @param everyMs milliseconds between the end of a run and the start of the next
 * @param timeoutMs the longest time of a run, in milliseconds
 * @returns a function that stops it
 */
export function runOnSchedule(
  functions: Pick<Functions, 'invoke'>,
  { everyMs, timeoutMs }: { everyMs: number; timeoutMs: number },
  clock: Clock,
  log: (line: string) => void,
): () => void {
  const stopping = new AbortController()
  const run = async () => {
    for (;;) {
      await delay(clock, everyMs, stopping.signal)
      for (const deployed of scheduledFunctions)
        await functions
          .invoke(
            deployed,
            { source: 'aws.events', 'detail-type': 'Scheduled Event' },
            randomUUID(),
            timeoutMs,
          )
          .catch((error: Error) => log(`failed     ${deployed.functionName}: ${error.message}`))
    }
  }
  run().catch(() => {}) // it was stopped
  return () => stopping.abort()
}
