import { Writable } from 'node:stream'

// Runs the handler of a module, as Lambda does, in a process of its own. Receives events, has one after another answered,
// and sends what that took, and the bodies of the answers. Ends with its parent.

type Handler = (event: object, context: object) => Promise<{ body: string | Buffer[] }>
type StreamingHandler = (event: object, stream: Writable, context: object) => Promise<void>

const streamifyResponse =
  (handle: StreamingHandler): Handler =>
  async (event, context) => {
    const body: Buffer[] = []
    const write = (piece: Buffer, _: unknown, done: () => void) => {
      body.push(piece)
      done()
    }
    await handle(event, new Writable({ write }), context)
    return { body }
  }
Object.assign(globalThis, {
  awslambda: { streamifyResponse, HttpResponseStream: { from: (stream: Writable) => stream } },
})
const { handler }: { handler: Handler } = await import(process.argv[2] ?? '')

process.on('message', async (events: object[]) => {
  const bodies: (string | Buffer[])[] = []
  const before = process.cpuUsage()
  for (const event of events)
    bodies.push((await handler(event, { getRemainingTimeInMillis: () => 900_000 })).body)
  const { user, system } = process.cpuUsage(before)
  const texts = bodies.map(body => (typeof body === 'string' ? body : String(Buffer.concat(body))))
  process.send?.({ cpuMs: (user + system) / 1000, bodies: texts })
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
