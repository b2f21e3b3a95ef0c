import { inspect } from 'node:util'
import { Option } from '@commander-js/extra-typings'
import { defineCommand, onUncaught, runCommand } from '../command-line/command.ts'
import { curlLines } from '../sample-data/curl-lines.ts'
import { exitWith, print } from '../command-line/output.ts'
import { sentenceOf } from '../command-line/sentence-of.ts'
import { onInterrupt } from '../command-line/signals.ts'
import { portNumber } from '../command-line/values.ts'
import { dynamodbEndpoint } from '../dynamodb/endpoint.ts'
import { localFolder } from '../project-root.ts'
import { startLocalStack } from '../local/stack.ts'
import { endpointUrls } from '../serverless/service-definition.ts'

/** After this time, an error ends the process though not all has stopped. */
const cleanUpMaxMs = 5000

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
      log: print,
    })
    let isStopping = false
    // During a start, it stops as soon as the start has ended.
    const stop = async () => {
      isStopping = true
      await starting.then(stack => stack.stop()).catch(() => {})
    }
    onInterrupt(() => stop().then(() => process.exit(0)))
    onUncaught(error => {
      if (isStopping) return
      const exit = () => exitWith(isOfFileSystem(error) ? error : inspect(error)) // else with its place, as Node prints it
      setTimeout(exit, cleanUpMaxMs)
      stop().then(exit)
    })
    try {
      const { url, hasSampleData } = await starting
      const { listUrl, deleteUrl } = endpointUrls(url)
      print('')
      print(curlLines(listUrl, deleteUrl, hasSampleData))
      print(`ready ${url}`)
    } catch (error) {
      if (!isStopping) throw error
    }
  })

/** Whether there is a sentence about the error that says more than its message. */
const isOfFileSystem = (error: unknown) => error instanceof Error && sentenceOf(error) !== error.message

await runCommand(import.meta.filename, command)
