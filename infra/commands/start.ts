import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { onInterrupt } from '../command-line/signals.ts'
import { portNumber } from '../command-line/values.ts'
import { dynamodbEndpoint } from '../dynamodb/endpoint.ts'
import { hideLogEvents } from '../local/functions/log-events.ts'
import { startLocalService } from '../local/service.ts'
import { localFolder } from '../project-root.ts'
import { curlLines } from '../sample-data/curl-lines.ts'
import { defaults, endpointUrls } from '../serverless/service-definition.ts'
import type { Parameters } from '../serverless/template-parameters.ts'

export const command = defineCommand('npm start --', {
  purpose:
    'Serves both endpoints on this machine, with an embedded DynamoDB, a token issuer and sample data.',
  variables: {
    DYNAMODB_ENDPOINT: 'The URL of another DynamoDB, such as http://127.0.0.1:8000. Its table stays.',
  },
  example: 'npm start -- --port 8080 --param retired=true --log-events',
})
  .addOption(
    new Option('--port <NUMBER>', 'The TCP port; 0 selects a free one.')
      .env('PORT')
      .argParser(portNumber(0))
      .default(3000),
  )
  .option('--empty', 'Imports no sample data, so that you can import your own.')
  .option('--param <NAME=VALUE>', 'Sets a parameter of serverless.yml. May be repeated.', withParameter, {})
  .option('--log-events', 'Prints what the functions log, too: one JSON object a line.')
  .action(async ({ logEvents = false, param: parameters, ...options }) => {
    if (!logEvents) hideLogEvents()
    const starting = startLocalService({
      ...options,
      parameters,
      dynamodbEndpoint: dynamodbEndpoint(),
      keyFolder: localFolder,
      log: print,
    })
    // During a start, it stops as soon as the start has ended.
    const stop = async () => (await starting).stop()
    onInterrupt(() => stop().finally(() => process.exit(0)))
    const { url, removable } = await starting
    const { listUrl, deleteUrl } = endpointUrls(url)
    print(`\n${curlLines(listUrl, deleteUrl, removable ?? { id: 'ID', name: 'one by its ID' })}`)
    print(`Or do the same in a browser: ${url}\n`)
    print(`ready ${url}`)
  })

await runCommand(import.meta.filename, command)

/** The parameters with one more. */
function withParameter(text: string, others: Parameters): Parameters {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? []
  if (!Object.hasOwn(defaults, name))
    throw new InvalidArgumentError('It must be NAME=VALUE, with a name in serverless.yml.')
  return { ...others, [name]: value }
}
