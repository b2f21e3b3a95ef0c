import type { Template } from '../../../../infra/serverless/template.ts'

const table = (TableName: string) => ({ ProviderTable: { Properties: { TableName } } })

/** The template of a stage whose stack creates its table, and of one that uses a table which exists. */
export const creatingTemplate = (name: string): Template => ({ Resources: table(name) })
export const usingTemplate = (name: string): Template => ({
  Resources: {},
  Outputs: { TableName: { Value: name } },
})
