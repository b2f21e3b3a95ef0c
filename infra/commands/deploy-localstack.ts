import { defineCommand, runCommand } from '../command-line/command.ts'
import { curlLines } from '../sample-data/curl-lines.ts'
import { print } from '../command-line/output.ts'
import { connectTo, localAws } from '../dynamodb/client.ts'
import { dropTable } from '../resources/table.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder } from '../project-root.ts'
import { environmentFor, reachableUrl, readEndpoint } from '../localstack/environment.ts'
import { reachLocalStack } from '../localstack/reach.ts'
import { importSampleData } from '../sample-data/sample-data.ts'
import { connectToAws, placeOf, usualEndpoint } from '../serverless/aws.ts'
import { deployPackage } from '../serverless/deploy.ts'
import { packageFolder, parametersOption, stageOption } from '../serverless/options.ts'
import { packageService } from '../serverless/package.ts'
import { findStack } from '../serverless/stack.ts'
import { smoke } from '../smoke/smoke.ts'

const answerMaxMs = 60_000

export const command = defineCommand('npm run deploy:localstack --', {
  purpose: 'Deploys the service to LocalStack, with the local issuer and the sample data, and checks it.',
  variables: { AWS_ENDPOINT_URL: `The URL of LocalStack. Default: ${usualEndpoint}.` },
  example: 'npm run deploy:localstack -- --stage dev',
})
  .addOption(stageOption)
  .addOption(parametersOption)
  .action(async ({ stage, param = [] }) => {
    const endpoint = readEndpoint(process.env.AWS_ENDPOINT_URL)
    await reachLocalStack(endpoint)
    process.env = environmentFor(endpoint, process.env)

    const issuer = await openIssuer(localFolder)
    // LocalStack does not stream, and sends compressed answers as base64 text. When a name is given twice, the last value wins.
    const own = ['responseTransferMode=BUFFERED', 'contentCodings=identity']
    const parameters = [`issuers=${issuer.trust}`, ...own, ...param]
    const values = { stage, package: packageFolder, param: parameters }
    const made = await packageService(values)
    const aws = connectToAws(placeOf({}))
    const client = connectTo(endpoint)
    // Undeploying keeps the table. On LocalStack tables contain sample data only, so they may be replaced.
    if ((await findStack(aws, stage)) === undefined)
      await dropTable(client, made.template.Resources.ProviderTable.Properties.TableName)
    const { outputs } = await deployPackage(aws, { ...values, changeTable: true, reset: true }, made)
    const { ListUrl = '', DeleteUrl = '', TableName = '' } = outputs
    await importSampleData(client, TableName)

    const listUrl = reachableUrl(endpoint, ListUrl)
    print(`\n${curlLines(listUrl, reachableUrl(endpoint, DeleteUrl))}`)
    print('To remove everything from LocalStack:\n')
    const { accessKeyId, secretAccessKey } = localAws.credentials
    print(
      `AWS_ENDPOINT_URL=${endpoint} AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey} npm run undeploy -- --stage ${stage} --region ${localAws.region}\n`,
    )
    const target = { listUrl, token: await issuer.tokenFor(), timeoutMs: answerMaxMs }
    process.exitCode = (await smoke({ ...target, isEmulated: true })) ? 0 : 1
  })

await runCommand(import.meta.filename, command)
