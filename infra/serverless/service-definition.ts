import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../project-root.ts'
import { settings } from './settings.ts'

/** What the framework reads; the local stack reads the same files. */
const read = (path: string) => parse(readFileSync(join(projectRoot, path), 'utf8'), { logLevel: 'error' }) // no warnings: !Ref and its like are fine

interface ServiceFile {
  params: Record<string, Record<string, unknown>>
  functions: Record<string, { events: { http: Route }[] }>
}

export interface Route {
  method: string
  /** Without a slash in front; a segment in braces stands for any one segment. */
  path: string
}

const serviceFile: ServiceFile = read('serverless.yml')

export const routes: Route[] = Object.values(serviceFile.functions).flatMap(({ events }) =>
  events.map(event => event.http),
)

/** The settings of the stage `local`. */
export function localSettings(issuers: string, tableName: string) {
  const parameters: Record<string, unknown> = {
    ...serviceFile.params.default,
    ...serviceFile.params.local,
    issuers,
    tableName,
  }
  return settings(async address => parameters[address.slice('param:'.length)])
}

export const tableProperties = read('infra/resources/table.yml').Resources.ProviderTable.Properties

export interface GatewayResponse {
  ResponseType: string
  StatusCode: string
  /** The setting that holds the headers, as the framework's reference to it. */
  ResponseParameters: string
  ResponseTemplates: { 'application/json': string }
}

export const gatewayResponses: GatewayResponse[] = Object.values(
  read('infra/resources/gateway-responses.yml').Resources as Record<string, { Properties: GatewayResponse }>,
).map(resource => resource.Properties)
