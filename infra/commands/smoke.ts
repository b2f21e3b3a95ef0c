import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { wholeNumber } from '../command-line/values.ts'
import { systemClock } from '../../lib/time.ts'
import { interruptible } from '../data/interruptible.ts'
import { tableVariables, withData } from '../data/open-data.ts'
import { connectToAws, placeOf } from '../serverless/aws.ts'
import {
  awsVariables,
  profileOption,
  regionOption,
  stageFileOption,
  stageName,
} from '../serverless/options.ts'
import { endpointUrls } from '../serverless/service-definition.ts'
import { getStack } from '../serverless/stack.ts'
import { type StageValues, withStageFile } from '../serverless/stage-file.ts'
import { freeProviderId, type Scratch } from '../smoke/removal-check.ts'
import { smoke } from '../smoke/smoke.ts'

const listPath = endpointUrls('').listUrl

export const command = defineCommand('npm run --silent smoke --', {
  purpose:
    'Checks a deployment: list, refusals, fields, headers, compression, latency. It only reads, except with --remove.',
  variables: { ...tableVariables, ...awsVariables },
  example: 'npm run --silent smoke -- --url https://abc123.execute-api.eu-central-1.amazonaws.com/prod',
})
  .option(
    '--url <URL>',
    'The URL of the deployment, including the stage, or its output ListUrl. Required without --stage.',
    baseUrl,
  )
  .addOption(
    new Option('-s, --stage <NAME>', 'Instead of --url and --table: the stage, whose stack has both.')
      .argParser(stageName)
      .conflicts(['url', 'table']),
  )
  .addOption(stageFileOption)
  .addOption(regionOption)
  .addOption(profileOption)
  .addOption(
    // npm prints a command line, and others see it in the list of processes.
    new Option(
      '--token <TOKEN>',
      'An access token with the scope for listing. Others may see a command line.',
    )
      .env('TOKEN')
      .makeOptionMandatory(),
  )
  .option('--timeout <SECONDS>', 'Time limit of each answer in seconds, 1 to 999.', wholeNumber(1, 999), 30)
  .option(
    '--remove',
    'Also makes a provider with two users, removes it by the endpoint, and deletes what it made.',
  )
  .option('--table <NAME>', 'The table of the deployment, TableName. Required with --remove and --url.')
  .option('--emulated', "The deployment runs on an emulator: skips the check of API Gateway's own answers.")
  .action(async ({ token, timeout, emulated = false, remove = false, ...values }) => {
    // Not checked by the option's parser, because its error would quote the token.
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw new Error('The token must be an access token (a JWT).')
    const { url, table, place } = await addressOf(values)
    const { listUrl, deleteUrl } = endpointUrls(url)
    const target = { listUrl, token, timeoutMs: timeout * 1000, isEmulated: emulated }
    const check = async (scratch?: Scratch) => ((await smoke({ ...target, scratch })) ? 0 : 1)
    if (!remove) process.exitCode = await check()
    else if (table === undefined)
      throw new Error('--remove needs --table, which the deployment prints as TableName.')
    else
      await interruptible(signal =>
        withData(
          table,
          signal,
          async data => check({ data, deleteUrl, providerId: await freeProviderId(data, signal), signal }),
          systemClock,
          place,
        ),
      )
  })

await runCommand(import.meta.filename, command)

interface Address extends Partial<StageValues> {
  url?: string | undefined
  table?: string | undefined
}

/** The deployment's URL, table and place: those that are given, or those of the stage's stack. */
async function addressOf({ url, table, stage, ...values }: Address) {
  if (url !== undefined) return { url, table, place: placeOf(values) }
  if (stage === undefined) throw new Error('Name the deployment with --stage NAME, or with --url URL.')
  const place = placeOf(withStageFile({ stage, ...values }))
  const { outputs } = await getStack(connectToAws(place), stage)
  if (outputs.ListUrl === undefined)
    throw new Error(
      `The stack of stage ${stage} has no ListUrl: deploy it first, or name its custom domain with --url.`,
    )
  return { url: baseUrl(outputs.ListUrl), table: outputs.TableName, place }
}

export function baseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('It must be a URL that begins with http.')
  return text.replace(/\/+$/, '').replace(new RegExp(`${listPath}$`), '')
}
