import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { listen } from '../../infra/listen.ts'
import { openIssuer } from '../../infra/local/issuer.ts'
import { startLocalStack } from '../../infra/local/stack.ts'
import { prepareTable, tableNameFor } from '../../infra/local/table.ts'
import { buildFunctions } from '../../infra/build.ts'
import { connectTo, localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { endpointUrls } from '../../infra/serverless/service-definition.ts'
import { localSettings } from '../../infra/serverless/settings.ts'

// Serves the sample data, with the table at the given endpoint: `stack` is the local stack, `bare` a server that calls
// the same handler. Sends its URL and a token; answers each message with its resident memory; ends with its parent.

const [kind, endpoint = ''] = process.argv.slice(2)
process.send?.(await (kind === 'stack' ? stack() : bare()))
process.on('message', () => process.send?.(process.memoryUsage.rss()))
process.on('disconnect', () => process.exit(0))

async function stack() {
  const { url, tokenFor } = await startLocalStack({ port: 0, dynamodbEndpoint: endpoint, log: () => {} })
  return { url: endpointUrls(url).listUrl, token: await tokenFor() }
}

type Handle = (event: object, response: ServerResponse, context: object) => Promise<void>

/** No gateway, no quotas, no thread: the least around a handler that streams. */
async function bare() {
  const issuer = await openIssuer()
  const tableName = tableNameFor()
  await prepareTable(connectTo(endpoint), tableName, { keep: false, empty: false }, () => {})
  const { environment } = await localSettings({ issuers: issuer.trust, tableName })
  Object.assign(process.env, environment, localAwsEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handle: Handle) => handle,
      HttpResponseStream: {
        from: (response: ServerResponse, { statusCode, headers }: { statusCode: number; headers: object }) =>
          response.writeHead(statusCode, { ...headers }),
      },
    },
  })
  process.stdout.write = () => true // the log
  await buildFunctions()
  const { handler }: { handler: Handle } = await import(
    join(projectRoot, '.build', 'functions', 'list-saml-providers.mjs')
  )
  const server = createServer((request, response) => {
    const { headers, headersDistinct, method: httpMethod, url: path } = request
    const requestContext = { requestId: 'bench', requestTimeEpoch: Date.now() }
    const event = { httpMethod, path, headers, multiValueHeaders: headersDistinct, requestContext }
    handler(event, response, { getRemainingTimeInMillis: () => 30_000 })
  })
  return { url: `http://127.0.0.1:${await listen(server, 0)}/`, token: await issuer.tokenFor() }
}
