import { randomUUID } from 'node:crypto'
import { type Clock, delay } from '../../lib/time.ts'
import { scheduledFunctions } from '../serverless/service-definition.ts'
import type { Invoke } from './functions/functions.ts'

/**
 * Runs the scheduled functions repeatedly, as EventBridge does on AWS, but never two runs at once.
 *
 * @param everyMs milliseconds between the end of a run and the start of the next
 * @param timeoutMs the time of a run, in milliseconds
 * @returns a function that stops it
 */
export function runOnSchedule(
  invoke: Invoke,
  { everyMs, timeoutMs }: { everyMs: number; timeoutMs: number },
  clock: Clock,
  log: (line: string) => void,
): () => void {
  const stopping = new AbortController()
  const run = async () => {
    for (;;) {
      await delay(clock, everyMs, stopping.signal)
      for (const deployed of scheduledFunctions)
        await invoke({ deployed, event: {}, requestId: randomUUID(), timeoutMs }).catch((error: Error) =>
          log(`failed     ${deployed.functionName}: ${error.message}`),
        )
    }
  }
  run().catch(() => {}) // it was stopped
  return () => stopping.abort()
}
