import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../project-root.ts'

interface ServiceFile {
  service: string
  params: Record<string, Record<string, unknown>>
  provider: {
    region: string
    runtime: string
    memorySize: number
    apiGateway: { binaryMediaTypes: string[] }
  }
  functions: Record<string, FunctionDefinition>
}

interface FunctionDefinition {
  handler: string
  events: { http?: HttpEvent }[]
}

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
  memoryMb: number
}

export interface Route extends DeployedFunction {
  method: string
  /** Without a leading slash; a segment in braces matches any one segment. */
  path: string
  /** Whether the gateway streams the answer while the function writes it. */
  isStreamed: boolean
}

/** The framework's file; the local stack and SAM's template use it, too. */
const text = readFileSync(join(projectRoot, 'serverless.yml'), 'utf8')
const serviceFile: ServiceFile = parse(text, { logLevel: 'error' }) // no warnings about !Sub

export const { provider } = serviceFile

export const serviceName = serviceFile.service

/** The parameters of a stage in serverless.yml; stage `default` has the defaults. */
export const parametersOf = (stage: string): Record<string, unknown> => serviceFile.params[stage] ?? {}

/** A value of the file; a reference to a parameter is replaced by the default, which the local stack uses. */
const defaultOf = (text = '') =>
  text.replace(/^\$\{param:(\w+)}$/, (_, name) => String(parametersOf('default')[name]))

/** The default region: the quoted value at the end of the framework's expression. */
export const usualRegion = /'([\w-]+)'}$/.exec(provider.region)?.[1] ?? ''

const functions = Object.entries(serviceFile.functions).map(([name, { handler, events }]) => ({
  name,
  handler,
  http: events.flatMap(event => event.http ?? []),
  functionName: `${serviceName}-local-${name}`,
  memoryMb: provider.memorySize,
}))

/** The functions with routes. */
export const endpoints = functions.filter(({ http }) => http.length > 0)

/** The functions that run on a schedule; they have no route. */
export const scheduledFunctions = functions.filter(({ http }) => http.length === 0)

export const routes: Route[] = endpoints.flatMap(({ http, ...deployed }) =>
  http.map(({ method, path, response }) => ({
    ...deployed,
    method,
    path,
    isStreamed: defaultOf(response?.transferMode) === 'STREAM',
  })),
)

const pathOf = (method: string) => routes.find(route => route.method === method)?.path ?? ''

/**
 * Checks that the paths have no variable except the provider's id at the end of the path for removing: the service reads no
 * other.
 *
 * @throws Error of one sentence
 */
export function checkPaths(all: readonly Pick<Route, 'method' | 'path'>[] = routes): void {
  for (const { method, path } of all) {
    const [rule, valid] =
      method === 'delete'
        ? ['end with its only variable, the id of the provider', /^[^{}]*\/\{\w+}$/]
        : ['have no variable', /^[^{}]*$/]
    if (!valid.test(path)) throw new Error(`In serverless.yml, the path ${path} must ${rule}.`)
  }
}

/** The URLs of the two endpoints. @param base the URL of the API, including its stage */
export const endpointUrls = (base: string) => ({
  listUrl: `${base}/${pathOf('get')}`,
  /** The provider's id is appended to it. */
  deleteUrl: `${base}/${pathOf('delete').replace(/\{\w+\}$/, '')}`,
})
