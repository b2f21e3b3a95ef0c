import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readUrl } from '../command-line/values.ts'
import { usualEndpoint } from '../localstack/environment.ts'
import { projectRoot } from '../project-root.ts'

const program = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
const pathStyle = join(import.meta.dirname, 's3-path-style.cjs')
const buildFolder = join(projectRoot, '.build')
let folder: string | undefined

/**
 * The folder in which this process runs the framework; it is removed at the end. The framework keeps its package in
 * `.serverless` beside serverless.yml and empties that first, so that two runs in one folder would destroy each other's.
 *
 * A process that is killed leaves the folder behind; below `.build` anything may be deleted.
 */
export function serviceFolder(): string {
  if (folder !== undefined) return folder
  mkdirSync(buildFolder, { recursive: true })
  const own = mkdtempSync(join(buildFolder, 'service-'))
  process.on('exit', () => rmSync(own, { recursive: true, force: true }))
  copyFileSync(join(projectRoot, 'serverless.yml'), join(own, 'serverless.yml')) // it follows no link to this one
  symlinkSync(join(projectRoot, 'infra'), join(own, 'infra'))
  folder = own
  return own
}

/**
 * Runs the Serverless Framework on the service. AWS_ENDPOINT_URL, and AWS_ENDPOINT_URL_<SERVICE>, name another AWS than
 * Amazon's; the framework's SDK reads them itself.
 *
 * @throws Error of one sentence when one of the two that matter here is no URL
 */
export function framework(parameters: string[], stdio: 'pipe' | 'inherit') {
  const elsewhere = ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'].filter(name =>
    readUrl(name, usualEndpoint, process.env[name]),
  )
  const preload = elsewhere.length > 0 ? ['--require', pathStyle] : []
  return spawnSync(process.execPath, [...preload, program, ...parameters], {
    cwd: serviceFolder(),
    stdio,
    encoding: 'utf8',
  })
}
