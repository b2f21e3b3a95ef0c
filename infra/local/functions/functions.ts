import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { ApiAnswer, Head } from '../../../lib/http/request.ts'
import { buildFunctions } from '../../build.ts'
import { projectRoot } from '../../project-root.ts'
import { type DeployedFunction, routes, scheduledFunctions } from '../../serverless/service-definition.ts'
import { apart } from './apart.ts'
import { awslambda, type Handler, isStreaming, ResponseStream } from './response-stream.ts'

/** The answer of a function; a streamed body fails when the function does. */
export type FunctionAnswer = ApiAnswer | (Head & { body: Readable })

/** The functions of one build. */
export interface Functions {
  /**
   * @param call `timeoutMs` is the function's time, which is not enforced: it ends itself before
   * @throws what the handler throws
   */
  invoke(call: {
    deployed: DeployedFunction
    event: object
    requestId: string
    timeoutMs: number
  }): Promise<FunctionAnswer>
  /** Closes the connections that they keep open, clears their timers, and removes their files. */
  end(): Promise<void>
  /** Ends them after the calls that are running. */
  retire(): void
}

interface Options {
  /** The folder of builds. */
  folder: string
  /** All environment variables while they are loaded. */
  variables: Record<string, string>
  /** Gets what they print. */
  output(text: string | Uint8Array): void
}

process.setSourceMapsEnabled(true) // the stack of an error names the sources

let builds = 0

/**
 * Builds the functions and loads them into this process.
 *
 * @throws Error when a source cannot be built, with its place, or a handler cannot be loaded
 */
export async function loadFunctions({ folder, variables, output }: Options): Promise<Functions> {
  builds += 1
  const build = join(folder, String(builds)) // Node.js loads a file only once
  await buildFunctions(projectRoot, build)
  Object.assign(globalThis, { awslambda })
  const { run, end: endApart } = apart(output)
  const end = async () => {
    endApart()
    await rm(build, { recursive: true, force: true })
  }
  const handlers = await run(() => importHandlers(build, variables)).catch(async error => {
    await end()
    throw error
  })

  let calls = 0
  let isRetired = false
  const endIfIdle = () => void (isRetired && calls === 0 && end())
  return {
    end,
    retire() {
      isRetired = true
      endIfIdle()
    },
    async invoke({ deployed: { handler, functionName }, event, requestId, timeoutMs }) {
      const endsAtMs = Date.now() + timeoutMs
      const getRemainingTimeInMillis = () => endsAtMs - Date.now()
      const context = { functionName, awsRequestId: requestId, getRemainingTimeInMillis }
      calls += 1
      const { answer, ended } = run(() => call(handlers.get(handler) as Handler, event, context))
      ended.finally(() => {
        calls -= 1
        endIfIdle()
      })
      return answer
    },
  }
}

/** @returns the answer, and what resolves when the handler has ended */
function call(handler: Handler, event: object, context: object) {
  if (!isStreaming(handler)) {
    const answer = (async () => handler(event, context))() as Promise<FunctionAnswer>
    return { answer, ended: answer.catch(() => {}) }
  }
  const stream = new ResponseStream().on('error', () => {}) // nobody may read it yet
  const result = (async () => handler(event, stream, context))()
  const unopened = result.then(() => Promise.reject(new Error('the function has not opened its stream')))
  const answer = Promise.race([stream.head, unopened]).then(head => ({ ...head, body: stream }))
  return { answer, ended: result.catch(error => void stream.destroy(error)) }
}

async function importHandlers(folder: string, variables: Record<string, string>) {
  const ofStack = process.env
  process.env = variables
  try {
    const handlers = new Map<string, Handler>()
    for (const { handler } of [...routes, ...scheduledFunctions]) {
      const [module = '', member = ''] = basename(handler).split('.')
      const loaded = await import(pathToFileURL(join(folder, `${module}.mjs`)).href)
      if (typeof loaded[member] !== 'function') throw new Error(`${handler} is not a function`)
      handlers.set(handler, loaded[member])
    }
    return handlers
  } finally {
    process.env = ofStack
  }
}
