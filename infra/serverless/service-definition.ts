import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../project-root.ts'
import { faultyParameters, type Parameters, timeoutSecondsOf } from './template-parameters.ts'

/** What the local service, SAM's template and the tests read of serverless.yml. */
interface ServiceFile {
  service: string
  params: { default: Record<string, unknown> }
  provider: {
    runtime: string
    memorySize: number
    environment: Record<string, string>
    apiGateway: { binaryMediaTypes: string[] }
  }
  functions: Record<string, { handler: string; timeout?: number; events: Event[] }>
}

interface Event {
  http?: HttpEvent
  schedule?: { rate: string }
}

interface HttpEvent {
  method: string
  /** Without a leading slash. */
  path: string
}

export interface DeployedFunction {
  /** The entry, such as `.build/functions/list-saml-providers.handler`. */
  handler: string
  /** The name in the stage `local`. */
  functionName: string
}

/** A segment in braces matches any one segment. */
export interface Route extends DeployedFunction, HttpEvent {}

const text = readFileSync(join(projectRoot, 'serverless.yml'), 'utf8')
const file: ServiceFile = parse(text, { logLevel: 'error' }) // no warnings about !Sub

const { service: serviceName } = file

export const { provider } = file

export const { default: defaults } = file.params

/** The parameter of a function's environment variable; another word stays as it is. */
export const parameterOf = (word: string): string =>
  /^\$\{param:(\w+)}$/.exec(`${provider.environment[word]}`)?.[1] ?? word

/** The entries of a stage's file that serverless.yml includes. */
export const stageFileEntries = [...text.matchAll(/self:custom\.stageFile\.(\w+)/g)].map(
  ([, name]) => `${name}`,
)

const functions = Object.entries(file.functions).map(([name, { handler, events }]) => ({
  name,
  handler,
  http: events.flatMap(({ http }) => http ?? []),
  functionName: `${serviceName}-local-${name}`,
}))

export const endpoints = functions.filter(({ http }) => http.length > 0)

/** The functions that run on a schedule; they have no route. */
export const scheduledFunctions = functions.filter(({ http }) => http.length === 0)

const { timeout = 0, events: [runs] = [] } = file.functions.finishRemovals ?? {}

/** The runs of the scheduled function. */
export const schedule = {
  everyMs: Number(/^rate\((\d+) minutes\)$/.exec(`${runs?.schedule?.rate}`)?.[1]) * 60_000,
  timeoutMs: timeout * 1000,
}

export const routes: Route[] = endpoints.flatMap(({ http, ...deployed }) =>
  http.map(({ method, path }) => ({ ...deployed, method, path })),
)

const pathOf = (method: string) => `${routes.find(route => route.method === method)?.path}`

/** The URLs of the two endpoints. @param base the URL of the API, including its stage */
export const endpointUrls = (base: string) => ({
  listUrl: `${base}/${pathOf('get')}`,
  /** The provider's id is appended to it. */
  deleteUrl: `${base}/${pathOf('delete').replace(/\{\w+\}$/, '')}`,
})

/**
 * The variables and the time-out of the functions outside the framework, with these parameters and the other defaults.
 *
 * @throws Error that names what is wrong with the parameters that no function reads
 */
export function localSettings(given: Parameters & { issuers: string; tableName: string }) {
  const all = Object.entries({ ...defaults, ...given }).map(([name, value]) => [name, String(value ?? '')])
  const parameters: Parameters = Object.fromEntries(all)
  const faults = faultyParameters(parameters)
  if (faults.length > 0) throw new Error(`Configuration: ${faults.join('; ')}`)
  const variables = Object.keys(provider.environment).map(name => [name, parameters[parameterOf(name)]])
  const names = { VERSION: 'local', DEPLOYMENT: `${serviceName}-local` }
  return {
    environment: { ...Object.fromEntries(variables), ...names } as Record<string, string>,
    timeoutSeconds: timeoutSecondsOf(parameters),
  }
}
