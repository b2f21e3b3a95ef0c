import { Option } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { urlIn } from '../command-line/values.ts'
import { connectTo } from '../dynamodb/client.ts'
import { openIssuer } from '../local/issuer.ts'
import { checkEmulator, deploy, shellLine, usualEndpoint } from '../emulator/deploy.ts'
import { localFolder } from '../project-root.ts'
import { curlLines } from '../sample-data/curl-lines.ts'
import { importSampleData } from '../sample-data/sample-data.ts'
import { endpointUrls } from '../serverless/service-definition.ts'

const stage = 'localstack'

export const command = defineCommand('npm run deploy:localstack --', {
  purpose: `Deploys infra/stages/${stage}.yml to LocalStack or MiniStack, with the local issuer and the sample data.`,
  variables: {
    AWS_ENDPOINT_URL: `The URL of the emulator, by its address. Default: ${usualEndpoint}.`,
  },
  example: 'npm run deploy:localstack -- --param retentionDays=1',
})
  .addOption(
    new Option('--param <NAME=VALUE...>', 'Sets a parameter of serverless.yml. May be repeated.').default([]),
  )
  .action(async ({ param }) => {
    const given = urlIn('AWS_ENDPOINT_URL') ?? usualEndpoint
    // The framework's client of S3 would put the bucket before the name, which no resolver knows.
    const endpoint = given.replace('//localhost', '//127.0.0.1').replace(/\/+$/, '')
    await checkEmulator(endpoint)
    const { trust } = await openIssuer(localFolder)
    const options = [`issuers=${trust}`, ...param].flatMap(text => ['--param', text])
    const url = await deploy(endpoint, options, stage)
    if (url === undefined) {
      process.exitCode = 1
      return
    }
    const [client, tableName] = [connectTo(endpoint), `saml-providers-${stage}`]
    await importSampleData(client, tableName)
    const { listUrl, deleteUrl } = endpointUrls(url)
    print(`\n${curlLines(listUrl, deleteUrl)}`)
    print('For npm run data, smoke, rollback, undeploy and aws on the emulator:\n')
    print(shellLine(endpoint))
  })

await runCommand(import.meta.filename, command)
