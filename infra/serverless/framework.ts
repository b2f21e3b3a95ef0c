import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { projectRoot } from '../project-root.ts'
import { endpointOf } from './aws.ts'

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
 * Runs the Serverless Framework on the service.
 *
 * @throws Error of one sentence when AWS_ENDPOINT_URL is no URL
 */
export function framework(parameters: string[], stdio: 'pipe' | 'inherit') {
  const preload = endpointOf('S3') === undefined ? [] : ['--require', pathStyle]
  return spawnSync(process.execPath, [...preload, program, ...parameters], {
    cwd: serviceFolder(),
    stdio,
    encoding: 'utf8',
  })
}
