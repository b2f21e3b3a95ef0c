import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'
import { buildFunctions } from './build/build.ts'
import { refuse } from './command.ts'
import { projectRoot } from './project-root.ts'
import { faultMark } from './settings.ts'

// npm run package|deploy -- [--stage NAME] [--region NAME] [--param="name=value"] …

const packageFolder = join(projectRoot, '.serverless')
const framework = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
const [command, ...options] = process.argv.slice(2)
const serviceFile = readFileSync(join(projectRoot, 'serverless.yml'), 'utf8')
const knownParameters = new Set(Object.keys(parse(serviceFile, { logLevel: 'error' }).params.default))

for (const [, name = ''] of options.join('\n').matchAll(/^(?:--param[= \n])(\w+)=/gm))
  if (!knownParameters.has(name)) refuse(`${faultMark} there is none that is called ${name}.`)

await buildFunctions()
const ownPackage = options.some(option => /^(-p|--package)\b/.test(option))
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
  return spawnSync(process.execPath, [framework, ...parameters], {
    cwd: projectRoot,
    stdio,
    encoding: 'utf8',
  })
}
