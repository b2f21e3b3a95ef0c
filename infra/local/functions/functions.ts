import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildFunctions } from '../../build.ts'
import { projectRoot } from '../../project-root.ts'
import { type DeployedFunction, routes, scheduledFunctions } from '../../serverless/service-definition.ts'
import { awslambda, callHandler, type FunctionAnswer, type Handler } from './runtime.ts'

/**
 * Calls a function of one build.
 *
 * @param call `timeoutMs` is the function's time, which is not enforced: it ends itself before
 * @throws what the handler throws
 */
export type Invoke = (call: {
  deployed: DeployedFunction
  event: object
  requestId: string
  timeoutMs: number
}) => Promise<FunctionAnswer>

interface Options {
  /** The folder of builds. */
  folder: string
  /** All environment variables while they are loaded. */
  variables: Record<string, string>
}

process.setSourceMapsEnabled(true) // the stack of an error names the sources

let builds = 0

/**
 * Builds the functions and loads them into this process. Nothing unloads them: a build that another one follows ends its
 * calls, and its files stay with those of the next.
 *
 * @throws Error when a source cannot be built, with its place, or a handler cannot be loaded
 */
export async function loadFunctions({ folder, variables }: Options): Promise<Invoke> {
  builds += 1
  const build = join(folder, String(builds)) // Node.js loads a file only once
  await buildFunctions(projectRoot, build)
  Object.assign(globalThis, { awslambda })
  const handlers = await importHandlers(build, variables)
  return ({ deployed: { handler, functionName }, event, requestId, timeoutMs }) => {
    const endsAtMs = Date.now() + timeoutMs
    const getRemainingTimeInMillis = () => endsAtMs - Date.now()
    const context = { functionName, awsRequestId: requestId, getRemainingTimeInMillis }
    return callHandler(handlers.get(handler) as Handler, event, context)
  }
}

/**
 * Imports the handlers of one build. They must not see this process's own variables: a definition in the bundles would make
 * them others than the deployed ones, and only another thread or process has an environment of its own.
 *
 * They read process.env while they are imported, as on AWS: the configuration as soon as a module runs; region, credentials
 * and endpoint at the SDK's first call, which the warm-up of the endpoints makes before their import ends. The client keeps
 * them, and all functions of a build share it. What reads a variable later sees those of this process.
 */
async function importHandlers(folder: string, variables: Record<string, string>) {
  const ofProcess = process.env
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
    process.env = ofProcess
  }
}
