import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'
import { buildFunctions } from './build/build.ts'
import { refuse } from './command.ts'
import { projectRoot } from './project-root.ts'
import { faultMark } from './settings.ts'
import { takeTurn } from './turn.ts'

// npm run package|deploy -- [--stage NAME] [--region NAME] [--param="name=value"] …
//
// AWS_ENDPOINT_URL, and AWS_ENDPOINT_URL_<SERVICE>, name another AWS than Amazon's; the framework's SDK obeys them itself.

const packageFolder = join(projectRoot, '.serverless')
const framework = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
const [command, ...options] = process.argv.slice(2)
const endpoints = ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'].filter(name => process.env[name])
const serviceFile = readFileSync(join(projectRoot, 'serverless.yml'), 'utf8')
const knownParameters = new Set(Object.keys(parse(serviceFile, { logLevel: 'error' }).params.default))

for (const [, name = ''] of options.join('\n').matchAll(/^(?:--param[= \n])(\w+)=/gm))
  if (!knownParameters.has(name)) refuse(`${faultMark} there is none that is called ${name}.`)

for (const name of endpoints) {
  const text = String(process.env[name])
  if (!URL.canParse(text) || !/^https?:/.test(text))
    refuse(`${name} must be a URL such as http://localhost:4566, and is "${text}".`)
}

await buildFunctions()
const ownPackage = options.some(option => /^(-p|--package)\b/.test(option))
await takeTurn(join(projectRoot, '.build', 'packaging')) // every packaging empties .serverless, wherever it ends up
const packaged = serverless(
  ['package', ...(ownPackage ? [] : ['--package', packageFolder]), ...options],
  'pipe',
)
const said = `${packaged.stdout}${packaged.stderr}`
if (packaged.status !== 0) {
  const ownSentence = said.split('\n').find(line => line.includes(faultMark))
  refuse(ownSentence?.slice(ownSentence.indexOf(faultMark)).replace(/,$/, '') ?? said)
}
process.stdout.write(`${said}\n`)
if (command === 'deploy')
  process.exitCode = serverless(['deploy', '--package', packageFolder, ...options], 'inherit').status ?? 1

function serverless(parameters: string[], stdio: 'pipe' | 'inherit') {
  const pathStyle = ['--require', join(import.meta.dirname, 'localstack/s3-path-style.cjs')]
  return spawnSync(process.execPath, [...(endpoints.length > 0 ? pathStyle : []), framework, ...parameters], {
    cwd: projectRoot,
    stdio,
    encoding: 'utf8',
  })
}
