import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, inject } from 'vitest'
import type { Written } from '../../support/shared.ts'
import { issuers } from './stages.ts'

// biome-ignore lint/suspicious/noExplicitAny: a template has no type, and a missing property fails the test
export type Properties = Record<string, any>

interface Resource {
  Type: string
  Properties: Properties
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
  DependsOn?: string[]
}

interface Template extends Written {
  resources: Record<string, Resource>
  outputs: Record<string, Properties>
}

export type Packaged = ReturnType<typeof packagedOnce>

type Parameters = Record<string, string | number | boolean>

/** The package of a stage with these parameters and the issuers; it is read before the tests run. */
export function packagedOnce(stage: string, parameters?: Parameters) {
  const template = {} as Template
  beforeAll(async () => {
    Object.assign(template, await packaged(stage, parameters))
  })
  const ofType = (type: string) =>
    Object.values(template.resources).filter(resource => resource.Type === type)
  const properties = (type: string) => ofType(type).map(resource => resource.Properties)
  return Object.assign(template, { ofType, properties })
}

/** Reads a package. @throws Error with what the framework printed */
async function packaged(stage: string, parameters: Parameters = {}): Promise<Template> {
  const url = new URL(inject('packagesUrl'))
  url.searchParams.set('stage', stage)
  for (const [name, value] of Object.entries({ issuers, ...parameters }))
    url.searchParams.append('param', `${name}=${value}`)
  const response = await fetch(url)
  if (!response.ok) throw new Error(await response.text())
  const { folder, printed } = (await response.json()) as Written
  const { Resources: resources, Outputs: outputs } = JSON.parse(
    readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'),
  )
  return { folder, printed, resources, outputs }
}
