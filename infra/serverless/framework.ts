import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { exitWith } from '../command-line/output.ts'
import { Interrupted, onInterrupt } from '../command-line/signals.ts'
import { projectRoot } from '../project-root.ts'
import { endpointOf } from './aws.ts'
import { faultMark } from './settings.ts'

const program = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
const pathStyle = join(import.meta.dirname, 's3-path-style.cjs')
const importExisting = join(import.meta.dirname, 'import-existing.cjs')
const buildFolder = join(projectRoot, '.build')
/** Node's options for the framework. @internal @throws Error of one sentence when AWS_ENDPOINT_URL is not a URL */
export const preloads = (imports: boolean) => [
  ...(endpointOf('S3') === undefined ? [] : ['--require', pathStyle]),
  ...(imports ? ['--require', importExisting] : []),
]

const ofAnotherAccount = /^AWS_.+_(PROFILE|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN)$/

/**
 * The environment of the framework: without the variables of a default profile and of a stage's credentials, which the
 * framework prefers and the SDK's clients do not read: a command would check one account and deploy to another. @internal
 */
export const environmentOf = (own: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !ofAnotherAccount.test(name)))

/**
 * Opens the Serverless Framework on the service, in a temporary folder that is deleted when the process exits. The framework
 * writes its package to `.serverless` beside serverless.yml and empties that folder first, so two runs in one folder would
 * destroy each other's package.
 *
 * From then on an interruption ends the process, or the framework if it runs. A process that is killed otherwise leaves the
 * folder behind; everything below `.build` may be deleted.
 */
export function openFramework() {
  mkdirSync(buildFolder, { recursive: true })
  const folder = mkdtempSync(join(buildFolder, 'service-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  onInterrupt(() => exitWith(new Interrupted('Interrupted.')))
  copyFileSync(join(projectRoot, 'serverless.yml'), join(folder, 'serverless.yml')) // the framework does not follow a link to this file
  symlinkSync(join(projectRoot, 'infra'), join(folder, 'infra'))

  /**
   * Runs the framework.
   *
   * @param output `inherit` prints what the framework prints, `pipe` returns it
   * @param imports whether the deployment takes over what exists and the stack would keep: its table, its logs
   * @throws Error of one sentence when AWS_ENDPOINT_URL is not a URL
   */
  async function run(parameters: string[], output: 'pipe' | 'inherit', imports = false) {
    const child = spawn(process.execPath, [...preloads(imports), program, ...parameters], {
      cwd: folder,
      env: environmentOf(process.env),
      stdio: ['inherit', output, output],
    })
    let interrupted = false
    const end = onInterrupt(() => {
      interrupted = true
      child.kill('SIGINT')
    })
    const texts = [child.stdout, child.stderr].map(stream => (stream === null ? '' : text(stream)))
    const [exitCode = null]: (number | null)[] = await once(child, 'close')
    end()
    return { exitCode, interrupted, printed: (await Promise.all(texts)).join('') }
  }
  return { folder, run }
}

/**
 * The command's options in the form of the framework, which refuses an empty value but accepts a space, and reads only the
 * first line of a value.
 */
export const frameworkOptions = (values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`
    if (value === undefined) return []
    if (value === true) return [option]
    const texts = [value].flat().map(text =>
      String(text)
        .replace(/^\w+=$/, '$& ')
        .replaceAll('\n', ' '),
    )
    return texts.flatMap(text => [option, text])
  })

/** Our own sentence in the framework's output of a failure; without one, the whole output. */
export function faultIn(output: string): string {
  const line = output.split('\n').find(one => one.includes(faultMark))
  return line?.slice(line.indexOf(faultMark)).replace(/,$/, '') ?? output
}
