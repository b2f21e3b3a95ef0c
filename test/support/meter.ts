import { delay } from '../../lib/time.ts'
import { type Plan, withPlan } from '../removal/faults.ts'
import type { World } from './world.ts'

const never = new AbortController().signal
const callMs = 10

/** The DynamoDB calls of some work. */
export interface Metered {
  /** Calls, by the name of the operation. */
  calls: Record<string, number>
  /** The length of the longest chain of calls in which each waits for the previous one. */
  inSeries: number
  /** The time between them in which no call was made, in milliseconds. */
  waitedMs: number
  /** Capacity units without those of statements, which the engines do not report. */
  readUnits: number
  writeUnits: number
  /** PartiQL statements; each uses the write units of an UpdateItem. */
  statements: number
}

type Consumed = { CapacityUnits: number }

/** Counts the calls of some work. Each call takes the same time; concurrent calls take it at once. */
export const meter =
  ({ clock }: World) =>
  async (work: () => Promise<unknown>): Promise<Metered> => {
    let inFlight = 0
    let idleSinceMs = clock.nowMs()
    const metered: Metered = {
      calls: {},
      inSeries: 0,
      waitedMs: 0,
      readUnits: 0,
      writeUnits: 0,
      statements: 0,
    }
    const count: Plan = async ({ operation, body, send }) => {
      const { Statements } = body as { Statements?: unknown[] }
      metered.calls[operation] = (metered.calls[operation] ?? 0) + 1
      metered.statements += Statements?.length ?? 0
      if (inFlight++ === 0) metered.waitedMs += clock.nowMs() - idleSinceMs
      const { output } = await send(
        Statements === undefined ? { ...body, ReturnConsumedCapacity: 'TOTAL' } : body,
      )
      for (const { CapacityUnits } of [(output.ConsumedCapacity ?? []) as Consumed | Consumed[]].flat())
        metered[/Get|Query/.test(operation) ? 'readUnits' : 'writeUnits'] += CapacityUnits
      await clock.thaw(() => delay(clock, callMs, never))
      if (--inFlight === 0) idleSinceMs = clock.nowMs()
      return { output }
    }
    const startMs = clock.nowMs()
    await withPlan(count, work)
    return { ...metered, inSeries: (clock.nowMs() - startMs - metered.waitedMs) / callMs }
  }
