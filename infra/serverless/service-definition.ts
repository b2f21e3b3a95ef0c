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
  functions: Record<string, { handler: string; events: { http: HttpEvent }[] }>
}

interface HttpEvent {
  method: string
  path: string
  response?: { transferMode?: string }
}

export interface Route {
  method: string
  /** Without a slash in front; a segment in braces stands for any one segment. */
  path: string
  /** Whether the gateway passes the answer on while the function writes it. */
  isStreamed: boolean
  /** The function's entry, such as `.build/functions/list-saml-providers.handler`. */
  handler: string
  /** The function's name in the stage `local`. */
  functionName: string
  memoryMb: number
}

const serviceFile: ServiceFile = read('serverless.yml')

export const { provider, functions } = serviceFile

export const functionNames = Object.keys(functions)

export const serviceName = serviceFile.service

/** The parameters of a stage, or the defaults, as they stand in serverless.yml. */
export const parametersOf = (stage: string): Record<string, unknown> => serviceFile.params[stage] ?? {}

/** The region of a deployment for which none is named; it stands in quotes at the end of the framework's expression. */
export const usualRegion = /'([\w-]+)'}$/.exec(provider.region)?.[1] ?? ''

export const routes: Route[] = Object.entries(functions).flatMap(([name, { handler, events }]) =>
  events.map(({ http: { method, path, response } }) => ({
    method,
    path,
    isStreamed: response?.transferMode === 'STREAM',
    handler,
    functionName: `${serviceName}-local-${name}`,
    memoryMb: provider.memorySize,
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
