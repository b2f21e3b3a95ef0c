import { text } from 'node:stream/consumers'
import { awslambda, callHandler, type Handler } from '../../infra/local/functions/runtime.ts'

// Runs a built function in a process of its own, which ends with its parent. Events that it receives are answered one after
// another; it sends the bodies, and the milliseconds of CPU time: the first time with those of loading the function.

Object.assign(globalThis, { awslambda })
process.on('disconnect', () => process.exit(0))

let loading: NodeJS.CpuUsage | undefined = process.cpuUsage()
const { handler }: { handler: Handler } = await import(process.argv[2] ?? '')

process.on('message', async (events: object[]) => {
  const before = loading ?? process.cpuUsage()
  loading = undefined
  const bodies: string[] = []
  for (const event of events) {
    const { body } = await callHandler(handler, event, { getRemainingTimeInMillis: () => 900_000 })
    bodies.push(typeof body === 'string' ? body : await text(body))
  }
  const { user, system } = process.cpuUsage(before)
  process.send?.({ cpuMs: (user + system) / 1000, bodies })
})
process.send?.('loaded')
