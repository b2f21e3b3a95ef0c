import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { endpointUrls } from '../serverless/service-definition.ts'
import { smoke } from '../smoke/smoke.ts'

export const command = defineCommand('npm run --silent smoke --', {
  purpose: 'Checks a deployment: list, refusals, unknown route. It only reads.',
  variables: { TOKEN: 'Required: an access token with the scope for listing.' },
  example: 'npm run --silent smoke -- --url https://abc123.execute-api.eu-central-1.amazonaws.com/prod',
})
  .addOption(
    new Option(
      '--url <URL>',
      'Required: the URL of the deployment, including the stage, or its output ListUrl.',
    )
      .argParser(asListUrl)
      .makeOptionMandatory(),
  )
  .option('--emulated', "The deployment runs on an emulator: skips the check of API Gateway's own answers.")
  .action(async ({ url: listUrl, emulated: isEmulated = false }) => {
    const token = process.env.TOKEN ?? ''
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
      throw new Error('Set the environment variable TOKEN to an access token (a JWT).')
    process.exitCode = (await smoke({ listUrl, token, isEmulated })) ? 0 : 1
  })

await runCommand(import.meta.filename, command)

function asListUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('It must be a URL that begins with http.')
  const { listUrl } = endpointUrls('')
  const base = text.replace(/\/+$/, '')
  return base.endsWith(listUrl) ? base : `${base}${listUrl}`
}
