import { runCommand } from '../command-line/command.ts'
import { curlLines } from '../command-line/curl-lines.ts'
import { onInterrupt } from '../command-line/signals.ts'
import { readPort } from '../command-line/values.ts'
import { dynamodbEndpoint } from '../dynamodb/endpoint.ts'
import { localFolder } from '../project-root.ts'
import { startLocalStack } from '../local/stack.ts'
import { endpointUrls } from '../serverless/service-definition.ts'
import { oktaId } from '../sample-data/sample-data.ts'

const write = (line: string) => process.stdout.write(`${line}\n`)

await runCommand({
  name: 'npm start --',
  purpose:
    'Serves both endpoints on this machine, with an embedded DynamoDB, a token issuer and sample data.',
  options: {
    keep: {
      type: 'boolean',
      description: 'Keeps the data between starts, in .local/. Default: every start begins with sample data.',
    },
    empty: { type: 'boolean', description: 'Imports no sample data, so that you can import your own.' },
  },
  variables: {
    PORT: 'The TCP port; 0 selects a free one. Default: 3000.',
    DYNAMODB_ENDPOINT: 'The URL of another DynamoDB, such as http://127.0.0.1:8000.',
  },
  example: 'PORT=8080 npm start -- --keep',
  async run({ keep = false, empty = false }) {
    const starting = startLocalStack({
      port: readPort('PORT', process.env.PORT || '3000', 0),
      dynamodbEndpoint: dynamodbEndpoint(),
      dataDirectory: localFolder,
      keep,
      empty,
      reload: true,
      log: write,
    })
    let stopping = false
    // Also during a start: everything that was started so far is stopped.
    onInterrupt(async () => {
      stopping = true
      await starting.then(stack => stack.stop()).catch(() => {})
      process.exit(0)
    })
    try {
      const { url } = await starting
      const { listUrl, deleteUrl } = endpointUrls(url)
      write('')
      write(curlLines(listUrl, `${deleteUrl}${oktaId}`))
      write(`ready ${url}`)
    } catch (error) {
      if (!stopping) throw error
    }
  },
})
