import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { stringify } from 'yaml'
import { buildFunctions } from '../build.ts'
import { projectRoot } from '../project-root.ts'
import { endpoints } from '../serverless/service-definition.ts'
import { samTemplate } from './template.ts'

export const templateFile = 'template.yml'

interface SamOptions {
  folder: string
  issuers: string
  /** The port of the DynamoDB on this machine. */
  tablePort: number
}

/**
 * Builds the functions and writes `template.yml` and the code beside it.
 *
 * @returns the paths of template and code
 */
export async function writeSam({ folder, issuers, tablePort }: SamOptions) {
  const [template, code] = [join(folder, templateFile), join(folder, 'code')]
  assertOwn(template, code)
  await buildFunctions()
  const content = await samTemplate(basename(code), issuers, tablePort)
  mkdirSync(folder, { recursive: true })
  // Quoted: SAM CLI reads YAML 1.1, in which a plain 2025-01-01 is a date.
  writeFileSync(
    template,
    stringify(content, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 }),
  )
  writeCode(code)
  return { template, code }
}

/** A folder chosen with --folder may contain other files of these names. */
function assertOwn(template: string, code: string): void {
  const isOwn = existsSync(template) && readFileSync(template, 'utf8').includes('`npm run sam`')
  for (const path of [template, code])
    if (!isOwn && existsSync(path))
      throw new Error(`${path} was not written by \`npm run sam\`: choose another folder with --folder.`)
}

/** Copies the built functions, and writes for each the module that SAM CLI calls. */
function writeCode(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(import.meta.dirname, 'as-api-gateway.mjs'), join(folder, 'as-api-gateway.mjs'))
  cpSync(join(projectRoot, '.build/functions'), join(folder, '.build/functions'), {
    recursive: true,
    filter: path => !/\.(map|draft)$/.test(path),
  })
  for (const { handler } of endpoints) {
    const module = handler.replace(/\.handler$/, '.mjs')
    writeFileSync(
      join(folder, basename(module)),
      `import { asApiGateway } from './as-api-gateway.mjs'\nimport { handler as deployed } from './${module}'\n\nexport const handler = asApiGateway(deployed)\n`,
    )
  }
}
