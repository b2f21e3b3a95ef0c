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
  functions: Record<string, FunctionDefinition>
}

interface FunctionDefinition {
  handler: string
  events?: { http?: HttpEvent }[]
}

interface HttpEvent {
  method: string
  path: string
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

const functions = Object.entries(serviceFile.functions).map(([name, { handler, events = [] }]) => ({
  name,
  handler,
  http: events.flatMap(event => event.http ?? []),
  functionName: `${serviceName}-local-${name}`,
}))

/** The functions with routes. */
export const endpoints = functions.filter(({ http }) => http.length > 0)

/** The functions that run on a schedule; they have no route. */
export const scheduledFunctions = functions.filter(({ http }) => http.length === 0)

export const routes: Route[] = endpoints.flatMap(({ http, ...deployed }) =>
  http.map(({ method, path }) => ({ ...deployed, method, path })),
)

const pathOf = (method: string) => routes.find(route => route.method === method)?.path ?? ''

/** The paths with a variable elsewhere than at their end: the service reads no other. @returns one fault each */
export const faultyPaths = (all: readonly Pick<Route, 'path'>[] = routes): string[] =>
  all.flatMap(({ path }) =>
    /^[^{}]*(\/\{\w+\})?$/.test(path)
      ? []
      : [`the path ${path} may have one variable only, as its last part`],
  )

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
