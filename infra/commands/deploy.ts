import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'
import { buildFunctions } from '../build.ts'
import { options, orRefuse, refuse } from '../command-line/options.ts'
import { readUrl } from '../dynamodb/endpoint.ts'
import { usualEndpoint } from '../localstack/environment.ts'
import { projectRoot } from '../project-root.ts'
import { faultMark } from '../serverless/settings.ts'
import { takeTurn } from '../turn.ts'

// npm run package|deploy. AWS_ENDPOINT_URL, and AWS_ENDPOINT_URL_<SERVICE>, name another AWS than Amazon's; the
// framework's SDK obeys them itself.

const packageFolder = join(projectRoot, '.serverless')
const framework = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
const [command, ...args] = process.argv.slice(2)
const serviceFile = readFileSync(join(projectRoot, 'serverless.yml'), 'utf8')
const defaults: Record<string, unknown> = parse(serviceFile, { logLevel: 'error' }).params.default

const { package: folder = packageFolder, ...others } = orRefuse(readOptions)
const elsewhere = orRefuse(() =>
  ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'].filter(name => readUrl(name, usualEndpoint, process.env[name])),
)
const forFramework = Object.entries(others).flatMap(([name, value]) =>
  value === true ? `--${name}` : [value].flat().flatMap(text => [`--${name}`, asFrameworkReads(text)]),
)

await buildFunctions()
await takeTurn(join(projectRoot, '.build', 'packaging')) // every packaging empties .serverless, wherever it ends up
const packaged = serverless(['package', '--package', folder, ...forFramework], 'pipe')
const said = `${packaged.stdout}${packaged.stderr}`
if (packaged.status !== 0) {
  const ownSentence = said.split('\n').find(line => line.includes(faultMark))
  refuse(ownSentence?.slice(ownSentence.indexOf(faultMark)).replace(/,$/, '') ?? said)
}
process.stdout.write(`${said}\n`)
if (command === 'deploy')
  process.exitCode = serverless(['deploy', '--package', folder, ...forFramework], 'inherit').status ?? 1

function serverless(parameters: string[], stdio: 'pipe' | 'inherit') {
  const pathStyle = ['--require', join(import.meta.dirname, '..', 'serverless/s3-path-style.cjs')]
  return spawnSync(process.execPath, [...(elsewhere.length > 0 ? pathStyle : []), framework, ...parameters], {
    cwd: projectRoot,
    stdio,
    encoding: 'utf8',
  })
}

function readOptions() {
  const typed = options(
    {
      stage: { type: 'string', short: 's' },
      region: { type: 'string', short: 'r' },
      param: { type: 'string', multiple: true },
      package: { type: 'string', short: 'p' },
      'aws-profile': { type: 'string' },
      verbose: { type: 'boolean' },
    },
    '--stage NAME, --region NAME, --param NAME=VALUE, --package FOLDER, --aws-profile NAME, --verbose',
    args,
  )
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(typed.stage ?? 'dev'))
    throw new Error(
      `--stage must be a small letter and up to 30 small letters, digits and hyphens, and is "${typed.stage}".`,
    )
  const faults = (typed.param ?? []).flatMap(faultOf)
  if (faults.length > 0) throw new Error(`${faultMark} ${faults.join('; ')}.`)
  return typed
}

function faultOf(parameter: string): string[] {
  const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(parameter) ?? []
  if (name === undefined) return [`"${parameter}" is not of the form NAME=VALUE`]
  if (!Object.hasOwn(defaults, name)) return [`there is none that is called ${name}`]
  if (value === '' && defaults[name] !== '') return [`${name} is empty; leave it out for its default`]
  return []
}

/** It knows no parameter that is empty, but one that is blank; and reads its first line only, JSON or not. */
function asFrameworkReads(text: string | boolean) {
  return String(text)
    .replace(/^\w+=$/, '$& ')
    .replaceAll('\n', ' ')
}
