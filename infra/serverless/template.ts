import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkEnvironment } from './environment-size.ts'

// biome-ignore lint/suspicious/noExplicitAny: a template has no type
export type Template = { Resources: Record<string, any> }

/** Reads a package's template. @throws Error of one sentence when it exceeds a quota of Lambda */
export function readTemplate(folder: string): Template {
  const file = join(folder, 'cloudformation-template-update-stack.json')
  const template: Template = JSON.parse(readFileSync(file, 'utf8'))
  checkEnvironment(template.Resources)
  return template
}
