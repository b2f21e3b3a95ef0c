import { Option } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { curlLines } from '../sample-data/curl-lines.ts'
import { print } from '../command-line/output.ts'
import { onInterrupt } from '../command-line/signals.ts'
import { portNumber } from '../command-line/values.ts'
import { dynamodbEndpoint } from '../dynamodb/endpoint.ts'
import { localFolder } from '../project-root.ts'
import { startLocalStack } from '../local/stack.ts'
import { endpointUrls } from '../serverless/service-definition.ts'

export const command = defineCommand('npm start --', {
  purpose:
    'Serves both endpoints on this machine, with an embedded DynamoDB, a token issuer and sample data.',
  variables: { DYNAMODB_ENDPOINT: 'The URL of another DynamoDB, such as http://127.0.0.1:8000.' },
  example: 'npm start -- --port 8080 --keep',
})
  .addOption(
    new Option('--port <NUMBER>', 'The TCP port; 0 selects a free one.')
      .env('PORT')
      .argParser(portNumber(0))
      .default(3000),
  )
  .option(
    '--keep',
    'Keeps the data between starts, in .local/. Default: every start begins with sample data.',
  )
  .option('--empty', 'Imports no sample data, so that you can import your own.')
  .action(async options => {
    const starting = startLocalStack({
      ...options,
      dynamodbEndpoint: dynamodbEndpoint(),
      dataDirectory: localFolder,
      reload: true,
      log: print,
    })
    let stopping = false
    // During a start, it stops as soon as the start has ended.
    onInterrupt(async () => {
      stopping = true
      await starting.then(stack => stack.stop()).catch(() => {})
      process.exit(0)
    })
    try {
      const { url, hasSampleData } = await starting
      const { listUrl, deleteUrl } = endpointUrls(url)
      print('')
      print(curlLines(listUrl, deleteUrl, hasSampleData))
      print(`ready ${url}`)
    } catch (error) {
      if (!stopping) throw error
    }
  })

await runCommand(import.meta.filename, command)
