import { delay } from '../../lib/time.ts'
import type { World } from './world.ts'

const never = new AbortController().signal
const callMs = 10

/** The DynamoDB calls of some work. */
export interface Metered {
  /** Calls, by the name of the operation. */
  calls: Record<string, number>
  /** The length of the longest chain of calls in which each waits for the previous one. */
  inSeries: number
  /** Capacity units without those of statements, which the engines do not report. */
  readUnits: number
  writeUnits: number
  /** PartiQL statements; each uses the write units of an UpdateItem. */
  statements: number
}

interface Args {
  input: { Statements?: unknown[] }
}
type Consumed = { CapacityUnits: number }
type Next = (args: Args) => Promise<{ output: { ConsumedCapacity?: Consumed | Consumed[] } }>

/** Counts the calls of some work. Each call takes the same time; concurrent calls take it at once. */
export function meter({ client, clock }: World) {
  let metered: Metered | undefined
  const count =
    (next: Next, { commandName = '' }: { commandName?: string }) =>
    async (args: Args) => {
      const here = metered
      if (here === undefined) return next(args)
      const operation = commandName.replace(/Command$/, '')
      here.calls[operation] = (here.calls[operation] ?? 0) + 1
      const { Statements } = args.input
      here.statements += Statements?.length ?? 0
      const options = Statements === undefined ? { ReturnConsumedCapacity: 'TOTAL' } : {}
      const reply = await next({ ...args, input: { ...args.input, ...options } })
      for (const { CapacityUnits } of [reply.output.ConsumedCapacity ?? []].flat())
        here[/Get|Query/.test(operation) ? 'readUnits' : 'writeUnits'] += CapacityUnits
      await delay(clock, callMs, never)
      return reply
    }
  client.middlewareStack.addRelativeTo(count as never, { relation: 'before', toMiddleware: 'freezeClock' })

  return async (work: () => Promise<unknown>): Promise<Metered> => {
    const here: Metered = { calls: {}, inSeries: 0, readUnits: 0, writeUnits: 0, statements: 0 }
    const startMs = clock.nowMs()
    metered = here
    try {
      await work()
    } finally {
      metered = undefined
    }
    return { ...here, inSeries: (clock.nowMs() - startMs) / callMs }
  }
}
