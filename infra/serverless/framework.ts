import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '../project-root.ts'
import { preloads } from './framework-options.ts'

const program = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
const buildFolder = join(projectRoot, '.build')
let folder: string | undefined

/**
 * A temporary folder in which this process runs the framework; it is deleted when the process exits. The framework
 * writes its package to `.serverless` beside serverless.yml and empties that folder first, so two runs in one folder
 * would destroy each other's package.
 *
 * A killed process leaves the folder behind; everything below `.build` may be deleted.
 */
export function serviceFolder(): string {
  if (folder !== undefined) return folder
  mkdirSync(buildFolder, { recursive: true })
  const own = mkdtempSync(join(buildFolder, 'service-'))
  process.on('exit', () => rmSync(own, { recursive: true, force: true }))
  copyFileSync(join(projectRoot, 'serverless.yml'), join(own, 'serverless.yml')) // the framework does not follow a link to this file
  symlinkSync(join(projectRoot, 'infra'), join(own, 'infra'))
  folder = own
  return own
}

/**
 * Runs the Serverless Framework on the service.
 *
 * @throws Error of one sentence when AWS_ENDPOINT_URL is not a URL
 */
export function framework(parameters: string[], stdio: 'pipe' | 'inherit') {
  return spawnSync(process.execPath, [...preloads(), program, ...parameters], {
    cwd: serviceFolder(),
    stdio,
    encoding: 'utf8',
  })
}
