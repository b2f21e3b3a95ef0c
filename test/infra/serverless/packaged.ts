import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, inject } from 'vitest'
import type { Written } from '../../support/shared.ts'

export const issuers =
  '[{"issuer":"https://login.example.com","audience":"a","jwksUri":"https://login.example.com/keys"}]'

/** Parameters that enable all options; none has its default here. */
export const everythingOn = {
  readScope: 'other:read',
  deleteScope: 'other:delete',
  retentionDays: 30,
  contentCodings: 'gzip br',
  streamTimeoutSeconds: 300,
  successorPath: 'https://api.example.com/v3/sso',
  deprecatedAt: '2026-01-01T00:00:00Z',
  sunsetAt: '2027-06-30T00:00:00Z',
  retired: true,
  documentationUrl: "https://docs.example.com/what's-new",
  logRetentionDays: 1827,
  throttleRate: 7,
  reservedConcurrency: 100,
  gatewayAccessLogs: true,
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:operators',
}

/** The other parameters, too: a stage on a table that exists, whose answers are buffered. */
export const elsewhere = {
  issuers,
  ...everythingOn,
  createTable: false,
  tableName: 'restored',
  responseTransferMode: 'BUFFERED',
  maxWaitSeconds: 40,
}

// biome-ignore lint/suspicious/noExplicitAny: a template has no type, and a missing property fails the test
export type Properties = Record<string, any>

interface Resource {
  Type: string
  Properties: Properties
  DependsOn?: string[]
}

interface Template extends Written {
  conditions: Record<string, Properties>
  resources: Record<string, Resource>
  outputs: Record<string, Properties>
}

export type Packaged = ReturnType<typeof packagedOnce>

/** The package of a stage with these parameters and the issuers; it is read before the tests run. */
export function packagedOnce(stage: string, parameters: Record<string, string | number | boolean> = {}) {
  const template = {} as Template
  beforeAll(async () => {
    const { folder, printed } = await written(stage, { issuers, ...parameters })
    const text = readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8')
    const { Conditions: conditions, Resources: resources, Outputs: outputs } = JSON.parse(text)
    Object.assign(template, { folder, printed, conditions, resources, outputs })
  })
  const ofType = (type: string) =>
    Object.values(template.resources).filter(resource => resource.Type === type)
  const properties = (type: string) => ofType(type).map(resource => resource.Properties)
  return Object.assign(template, { ofType, properties })
}

/** @throws Error with what the framework printed */
async function written(stage: string, parameters: object): Promise<Written> {
  const url = new URL(inject('packagesUrl'))
  url.searchParams.set('stage', stage)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append('param', `${name}=${value}`)
  const response = await fetch(url)
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Written
}
