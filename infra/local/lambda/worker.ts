import { pathToFileURL } from 'node:url'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { awslambda, type Handler, isStreaming, ResponseStream } from './response-stream.ts'

// The worker thread: a local version of Lambda's runtime for Node.js. It loads every handler, reports that it is ready,
// and then runs a handler for each event, several at once.

/** The message for one event. */
export interface Invocation {
  /** As in serverless.yml, such as `.build/functions/list-saml-providers.handler`; relative to the root. */
  handler: string
  /** The event as JSON. */
  event: string
  context: { awsRequestId: string }
  deadlineMs: number
  /** The port for the answer. */
  port: MessagePort
}

const { root, handlers: names }: { root: string; handlers: string[] } = workerData
const handlers = new Map<string, Handler>()

Object.assign(globalThis, { awslambda })
for (const name of names) handlers.set(name, await load(name))
parentPort?.on('message', run)
parentPort?.postMessage('loaded')

async function load(name: string): Promise<Handler> {
  const [, module = '', member = ''] = /^(.+)\.(\w+)$/.exec(name) ?? []
  const loaded = await import(pathToFileURL(`${root}/${module}.mjs`).href)
  if (typeof loaded[member] !== 'function') throw new Error(`${name} is not a function`)
  return loaded[member]
}

async function run({ handler, event, context, deadlineMs, port }: Invocation): Promise<void> {
  try {
    const handle = handlers.get(handler)
    if (handle === undefined) throw new Error(`there is no handler ${handler}`)
    const full = { ...context, getRemainingTimeInMillis: () => deadlineMs - Date.now() }
    if (isStreaming(handle)) return void (await handle(JSON.parse(event), new ResponseStream(port), full))
    port.postMessage({ answer: JSON.stringify(await handle(JSON.parse(event), full)) ?? 'null' })
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? error.stack : String(error) })
  }
}
