import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { runCommand } from '../command-line/command.ts'
import { curlLines } from '../command-line/curl-lines.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder } from '../local/local-folder.ts'
import { putSampleItems } from '../sample-data/items.ts'
import { okta } from '../sample-data/providers.ts'
import { connectTo } from '../dynamodb/client.ts'
import { projectRoot } from '../project-root.ts'
import { packageOptions } from '../serverless/package.ts'
import { environmentFor, reachableUrl, readEndpoint, usualEndpoint } from '../localstack/environment.ts'

const answerMaxMs = 3000
const write = (line: string) => process.stdout.write(`${line}\n`)

await runCommand({
  name: 'npm run deploy:localstack --',
  purpose: 'Deploys the service to LocalStack, with the local issuer and the sample data.',
  options: {
    stage: packageOptions.stage,
    param: packageOptions.param,
  },
  variables: { AWS_ENDPOINT_URL: `The URL of LocalStack. Default: ${usualEndpoint}.` },
  example: 'npm run deploy:localstack -- --stage dev',
  async run({ stage, param = [] }) {
    const endpoint = readEndpoint(process.env.AWS_ENDPOINT_URL)
    await reach(endpoint)

    const issuer = await openIssuer(localFolder)
    const parameters = [`issuers=${issuer.trust}`, ...param] // of two with one name the last counts
    const given = ['--stage', stage, ...parameters.flatMap(parameter => ['--param', parameter])]
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
    run('inherit', join(projectRoot, 'infra/commands/deploy.ts'))
    const framework = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
    const info = run('pipe', framework, 'info', '--verbose')
    const output = (name: string): string => {
      const [, value] = new RegExp(`^\\s*${name}: (\\S+)$`, 'm').exec(info) ?? []
      if (value === undefined)
        throw new Error(`The deployed stack has no output ${name}; what it has:\n${info}`)
      return value
    }

    const client = connectTo(endpoint)
    await putSampleItems(client, output('TableName'))
    client.destroy()

    const deleteUrl = `${reachableUrl(endpoint, output('DeleteUrl'))}${okta.id}`
    write(`\n${curlLines(reachableUrl(endpoint, output('ListUrl')), deleteUrl)}`)
    write(
      'The first call of each may answer wait_expired while LocalStack fetches the image of Node 24: send it again.',
    )
    if (process.arch !== 'arm64')
      write('This machine is no arm64: LocalStack must have been started with LAMBDA_IGNORE_ARCHITECTURE=1.')
  },
})

async function reach(endpoint: string): Promise<void> {
  await fetch(endpoint, { signal: AbortSignal.timeout(answerMaxMs) }).catch(() =>
    Promise.reject(
      new Error(
        `Nothing answers at ${endpoint}: start LocalStack, or name another endpoint with AWS_ENDPOINT_URL.`,
      ),
    ),
  )
}
