import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../project-root.ts'

interface ServiceFile {
  service: string
  params: Record<string, Record<string, unknown>>
  provider: {
    runtime: string
    memorySize: number
    apiGateway: { binaryMediaTypes: string[] }
  }
  functions: FunctionsEntry
}

type FunctionDefinitions = Record<string, { handler: string; events?: { http?: string | HttpEvent }[] }>

/** The framework also takes a list of maps, for functions from several files. */
type FunctionsEntry = FunctionDefinitions | FunctionDefinitions[]

interface HttpEvent {
  method: string
  path: string
  response?: { transferMode?: string }
}

export interface DeployedFunction {
  /** The entry, such as `.build/functions/list-saml-providers.handler`. */
  handler: string
  /** The name in the stage `local`. */
  functionName: string
}

export interface Route extends DeployedFunction {
  method: string
  /** Without a leading slash; a segment in braces matches any one segment. */
  path: string
}

/** The framework's file; the local stack and SAM's template use it, too. */
const text = readFileSync(join(projectRoot, 'serverless.yml'), 'utf8')
const serviceFile: ServiceFile = parse(text, { logLevel: 'error' }) // no warnings about !Sub

export const { provider } = serviceFile

export const serviceName = serviceFile.service

/** The parameters of a stage in serverless.yml; stage `default` has the defaults. */
export const parametersOf = (stage: string): Record<string, unknown> => serviceFile.params[stage] ?? {}

/** @returns a fault for each name that is none of a parameter */
export const unknownParameters = (names: string[]): string[] =>
  names.filter(name => !Object.hasOwn(parametersOf('default'), name)).map(name => `unknown parameter ${name}`)

/** The entries of a stage's file that serverless.yml includes. */
export const includedEntries = [...text.matchAll(/self:custom\.stageFile\.(\w+)/g)].map(
  ([, name = '']) => name,
)

/** The functions of serverless.yml, in each form that the framework takes. @internal */
export const functionsIn = (entry: FunctionsEntry) =>
  Object.entries(Array.isArray(entry) ? (Object.assign({}, ...entry) as FunctionDefinitions) : entry).map(
    ([name, { handler, events = [] }]) => ({
      name,
      handler,
      http: events.flatMap(({ http }) => (http === undefined ? [] : [httpEventOf(http)])),
      functionName: `${serviceName}-local-${name}`,
    }),
  )

/** An event such as `GET /api/v2/saml`, or the same as a map. */
function httpEventOf(http: string | HttpEvent): HttpEvent {
  const [method = '', path = ''] = typeof http === 'string' ? http.split(' ') : [http.method, http.path]
  const event = { method: method.toLowerCase(), path: path.replace(/^\/+|\/+$/g, '') }
  return typeof http === 'string' || http.response === undefined
    ? event
    : { ...event, response: http.response }
}

const functions = functionsIn(serviceFile.functions)

/** The functions with routes. */
export const endpoints = functions.filter(({ http }) => http.length > 0)

/** The functions that run on a schedule; they have no route. */
export const scheduledFunctions = functions.filter(({ http }) => http.length === 0)

export const routes: Route[] = endpoints.flatMap(({ http, ...deployed }) =>
  http.map(({ method, path }) => ({ ...deployed, method, path })),
)

const pathOf = (method: string) => routes.find(route => route.method === method)?.path ?? ''

/**
 * Checks the routes of serverless.yml. The functions read a variable at the end of a path alone. They stream their answers,
 * so each route needs `response.transferMode`: without it, API Gateway buffers.
 *
 * @returns one fault for each route that breaks a rule
 */
export const faultyRoutes = (all = endpoints.flatMap(({ http }) => http)): string[] => [
  ...all
    .filter(({ path }) => !/^[^{}]*(\/\{\w+\})?$/.test(path))
    .map(({ path }) => `the path ${path} may have one variable only, as its last part`),
  ...all
    .filter(({ response }) => response?.transferMode === undefined)
    .map(
      ({ method, path }) => `the route ${method} ${path} needs response.transferMode, as the others have it`,
    ),
]

/** Lambda's limit for the name of a function ("Lambda API reference", CreateFunction). */
const functionNameMaxLength = 64

/** A stage's name that is too long for the names of its functions. @returns the fault, if it is one */
export function longStageName(stage: string): string[] {
  const lengths = functions.map(({ name }) => `${serviceName}--${name}`.length)
  const most = functionNameMaxLength - Math.max(...lengths)
  return stage.length <= most ? [] : [`the stage ${stage} must have at most ${most} characters`]
}

/** The URLs of the two endpoints. @param base the URL of the API, including its stage */
export const endpointUrls = (base: string) => ({
  listUrl: `${base}/${pathOf('get')}`,
  /** The provider's id is appended to it. */
  deleteUrl: `${base}/${pathOf('delete').replace(/\{\w+\}$/, '')}`,
})
