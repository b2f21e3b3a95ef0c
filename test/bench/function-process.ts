import { text } from 'node:stream/consumers'
import { awslambda, callHandler, type Handler } from '../../infra/local/functions/runtime.ts'

// Runs a built function in a process of its own. Receives events, has one after another answered, and sends what that took,
// and the bodies of the answers. Ends with its parent.

/** Milliseconds of CPU time, for the first events with those of loading the function; and the answers' bodies. */
export interface Sample {
  cpuMs: number
  bodies: string[]
}

const context = { getRemainingTimeInMillis: () => 900_000 }
const bodyOf = async (event: object) => {
  const { body } = await callHandler(handler, event, context)
  return typeof body === 'string' ? body : text(body)
}

Object.assign(globalThis, { awslambda })
process.on('SIGINT', () => {}) // the parent gets it, too
process.on('disconnect', () => process.exit(0))

let loading: NodeJS.CpuUsage | undefined = process.cpuUsage()
const { handler }: { handler: Handler } = await import(process.argv[2] ?? '')

process.on('message', async (events: object[]) => {
  const before = loading ?? process.cpuUsage()
  loading = undefined
  const bodies: string[] = []
  for (const event of events) bodies.push(await bodyOf(event))
  const { user, system } = process.cpuUsage(before)
  process.send?.({ cpuMs: (user + system) / 1000, bodies } satisfies Sample)
})
process.send?.('loaded')
