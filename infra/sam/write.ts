import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { projectRoot } from '../project-root.ts'
import { type PackagedTemplate, samTemplate } from './template.ts'

/** What the containers of `sam local` call the machine that runs them. */
export const hostName = 'host.docker.internal'

export interface SamOptions {
  /** Where all of it is written. */
  folder: string
  issuers: string
  tableName: string
  /** Of the DynamoDB on this machine. */
  tablePort: number
}

/**
 * Packages the service and writes from the package what SAM CLI runs: `template.yml` and, beside it, the code.
 *
 * @returns the template's path
 * @throws Error that says why it cannot be packaged
 */
export function writeSam({ folder, issuers, tableName, tablePort }: SamOptions): string {
  const packageFolder = join(folder, 'package')
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...[
        join(projectRoot, 'infra/commands/deploy.ts'),
        'package',
        '--package',
        packageFolder,
        '--stage',
        'local',
      ],
      ...['--param', `issuers=${issuers}`, '--param', `tableName=${tableName}`],
    ],
    { cwd: projectRoot, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr.trim())
  const packaged: PackagedTemplate = JSON.parse(
    readFileSync(join(packageFolder, 'cloudformation-template-update-stack.json'), 'utf8'),
  )

  const template = samTemplate(packaged, 'code', {
    AWS_ENDPOINT_URL_DYNAMODB: `http://${hostName}:${tablePort}`,
  })
  writeCode(join(folder, 'code'), packaged)
  const path = join(folder, 'template.yml')
  // Quoted, as for SAM CLI's older YAML a plain 2025-01-01 is a date, and no text.
  writeFileSync(
    path,
    stringify(template, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 }),
  )
  return path
}

/** The built functions where the package has them, and in front of each the one that SAM CLI calls. */
function writeCode(folder: string, { Resources }: PackagedTemplate): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(import.meta.dirname, 'as-api-gateway.mjs'), join(folder, 'as-api-gateway.mjs'))
  cpSync(join(projectRoot, '.build/functions'), join(folder, '.build/functions'), {
    recursive: true,
    filter: path => !/\.(map|draft)$/.test(path),
  })
  for (const { Type, Properties } of Object.values(Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue
    const module = Properties.Handler.replace(/\.handler$/, '.mjs')
    writeFileSync(
      join(folder, module.split('/').at(-1)),
      `import { asApiGateway } from './as-api-gateway.mjs'\nimport { handler as deployed } from './${module}'\n\nexport const handler = asApiGateway(deployed)\n`,
    )
  }
}
