import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readUrl } from '../command-line/values.ts'
import { usualEndpoint } from '../localstack/environment.ts'
import { projectRoot } from '../project-root.ts'

const program = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
const pathStyle = join(import.meta.dirname, 's3-path-style.cjs')

/**
 * Runs the Serverless Framework in the project's folder. AWS_ENDPOINT_URL, and AWS_ENDPOINT_URL_<SERVICE>, name another
 * AWS than Amazon's; the framework's SDK reads them itself.
 *
 * @throws Error of one sentence when one of the two that matter here is no URL
 */
export function framework(parameters: string[], stdio: 'pipe' | 'inherit') {
  const elsewhere = ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'].filter(name =>
    readUrl(name, usualEndpoint, process.env[name]),
  )
  const preload = elsewhere.length > 0 ? ['--require', pathStyle] : []
  return spawnSync(process.execPath, [...preload, program, ...parameters], {
    cwd: projectRoot,
    stdio,
    encoding: 'utf8',
  })
}
