import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../project-root.ts'

/** What the framework reads; the local stack reads the same files. */
const read = (path: string) => parse(readFileSync(join(projectRoot, path), 'utf8'), { logLevel: 'error' }) // no warnings: !Ref and its like are fine

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
  /** Seconds; the provider's where it is left out. */
  timeout?: number
  events: { http?: HttpEvent }[]
}

interface HttpEvent {
  method: string
  path: string
  response?: { transferMode?: string }
}

export interface DeployedFunction {
  /** Its entry, such as `.build/functions/list-saml-providers.handler`. */
  handler: string
  /** Its name in the stage `local`. */
  functionName: string
  memoryMb: number
  /** A time-out of its own. */
  timeoutMs: number | undefined
}

export interface Route extends DeployedFunction {
  method: string
  /** Without a slash in front; a segment in braces stands for any one segment. */
  path: string
  /** Whether the gateway passes the answer on while the function writes it. */
  isStreamed: boolean
}

const serviceFile: ServiceFile = read('serverless.yml')

export const { provider } = serviceFile

export const serviceName = serviceFile.service

/** The parameters of a stage, or the defaults, as they stand in serverless.yml. */
export const parametersOf = (stage: string): Record<string, unknown> => serviceFile.params[stage] ?? {}

/** The region of a deployment for which none is named; it stands in quotes at the end of the framework's expression. */
export const usualRegion = /'([\w-]+)'}$/.exec(provider.region)?.[1] ?? ''

const functions = Object.entries(serviceFile.functions).map(([name, { handler, timeout, events }]) => ({
  name,
  handler,
  http: events.flatMap(event => event.http ?? []),
  functionName: `${serviceName}-local-${name}`,
  memoryMb: provider.memorySize,
  timeoutMs: timeout === undefined ? undefined : timeout * 1000,
}))

/** The functions that requests reach, each with its routes. */
export const endpoints = functions.filter(({ http }) => http.length > 0)

/** The functions that run on a schedule; no route leads to them. */
export const scheduledFunctions: DeployedFunction[] = functions.filter(({ http }) => http.length === 0)

export const routes: Route[] = endpoints.flatMap(({ http, ...deployed }) =>
  http.map(({ method, path, response }) => ({
    ...deployed,
    method,
    path,
    isStreamed: response?.transferMode === 'STREAM',
  })),
)

const pathOf = (method: string) => routes.find(route => route.method === method)?.path ?? ''

/** Where the two endpoints are. @param base the URL of the API, up to and with its stage */
export const endpointUrls = (base: string) => ({
  listUrl: `${base}/${pathOf('get')}`,
  /** The id of the provider is added to it. */
  deleteUrl: `${base}/${pathOf('delete').replace(/\{\w+\}$/, '')}`,
})

export const tableProperties = read('infra/resources/table.yml').Resources.ProviderTable.Properties

export interface GatewayResponse {
  ResponseType: string
  StatusCode: string
  /** The setting that holds the headers, as the framework's reference to it. */
  ResponseParameters: string
  ResponseTemplates: { 'application/json': string }
}

const gatewayResponseResources: Record<string, { Properties: GatewayResponse }> = read(
  'infra/resources/gateway-responses.yml',
).Resources

export const gatewayResponses = Object.values(gatewayResponseResources).map(({ Properties }) => Properties)

/** Their logical ids in the template. */
export const gatewayResponseIds = Object.keys(gatewayResponseResources)
