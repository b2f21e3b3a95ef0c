import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { options, refuse } from '../command-line/options.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder } from '../local/local-folder.ts'
import { putSampleItems } from '../sample-data/items.ts'
import { okta } from '../sample-data/providers.ts'
import { connectTo } from '../dynamodb/client.ts'
import { projectRoot } from '../project-root.ts'
import { environmentFor, reachableUrl, readEndpoint } from '../localstack/environment.ts'

const answerMaxMs = 3000
const write = (line: string) => process.stdout.write(`${line}\n`)

try {
  const typed = options(
    { stage: { type: 'string', default: 'dev' }, param: { type: 'string', multiple: true } },
    '--stage NAME, --param NAME=VALUE',
  )
  const endpoint = readEndpoint(process.env.AWS_ENDPOINT_URL)
  await reach(endpoint)

  const issuer = await openIssuer(localFolder)
  const parameters = [`issuers=${issuer.trust}`, ...(typed.param ?? [])] // of two with one name the last counts
  const given = ['--stage', typed.stage, ...parameters.flatMap(parameter => ['--param', parameter])]
  const run = (stdout: 'inherit' | 'pipe', ...command: string[]) => {
    const { status, stdout: said } = spawnSync(process.execPath, [...command, ...given], {
      cwd: projectRoot,
      env: environmentFor(endpoint, process.env),
      stdio: ['ignore', stdout, 'inherit'],
      encoding: 'utf8',
    })
    if (status !== 0) process.exit(status ?? 1)
    return said
  }
  run('inherit', join(projectRoot, 'infra/commands/deploy.ts'), 'deploy')
  const framework = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
  const info = run('pipe', framework, 'info', '--verbose')
  const output = (name: string): string => {
    const [, value] = new RegExp(`^\\s*${name}: (\\S+)$`, 'm').exec(info) ?? []
    return value ?? refuse(`The deployed stack has no output ${name}; what it has:\n${info}`)
  }

  const client = connectTo(endpoint)
  await putSampleItems(client, output('TableName'))
  client.destroy()

  const token = await issuer.tokenFor()
  const curl = `curl -H 'Authorization: Bearer ${token}'`
  write('')
  write('List the providers, then remove Okta and see whom it affects:')
  write('')
  write(`${curl} ${reachableUrl(endpoint, output('ListUrl'))}`)
  write('')
  write(`${curl} -X DELETE ${reachableUrl(endpoint, output('DeleteUrl'))}${okta.id}`)
  write('')
  write(
    'The first call of each may answer wait_expired while LocalStack fetches the image of Node 24: send it again.',
  )
  if (process.arch !== 'arm64')
    write('This machine is no arm64: LocalStack must have been started with LAMBDA_IGNORE_ARCHITECTURE=1.')
} catch (error) {
  refuse(error)
}

async function reach(endpoint: string): Promise<void> {
  await fetch(endpoint, { signal: AbortSignal.timeout(answerMaxMs) }).catch(() =>
    refuse(
      `Nothing answers at ${endpoint}: start LocalStack, or name another endpoint with AWS_ENDPOINT_URL.`,
    ),
  )
}
