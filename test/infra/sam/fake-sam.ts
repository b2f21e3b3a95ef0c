import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { deleteEvent, listEvent } from './recorded-events.ts'

/*
 * A fake of the program `sam`. It serves the functions of the template with the events that SAM CLI sends, and decodes
 * base64 for the clients for which SAM CLI does. It writes its options and the received signals to FAKE_SAM_LOG.
 */

const given = process.argv.slice(2)
if (given[0] === '--version') {
  process.stdout.write('SAM CLI, version 1.170.0\n')
  process.exit(0)
}
const { FAKE_SAM_LOG = '', FAKE_SAM_FAULT, TABLE_HOST = '' } = process.env
const aws = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^AWS_|proxy/i.test(name)))
writeFileSync(FAKE_SAM_LOG, `${JSON.stringify({ given, aws })}\n`)
if (FAKE_SAM_FAULT !== undefined) {
  process.stdout.write(`Initializing the lambda functions containers.\n${FAKE_SAM_FAULT}\n`)
  process.exit(1)
}
const parent = process.ppid
setInterval(() => process.ppid !== parent && process.exit(1), 500).unref() // a failed test killed the command
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const)
  process.on(signal, () => {
    appendFileSync(FAKE_SAM_LOG, `${signal}\n`)
    if (signal === 'SIGTERM') setTimeout(() => process.exit(0), 300) // so that it could receive a second signal
  })

const option = (name: string) => given[given.indexOf(name) + 1] ?? ''
const template = option('--template')
// biome-ignore lint/suspicious/noExplicitAny: a template has no type
const functions: { Type: string; Properties: any }[] = Object.values<any>(
  parse(readFileSync(template, 'utf8'), { version: '1.1' }).Resources,
).filter(({ Type }) => Type === 'AWS::Serverless::Function')

const routes = functions.map(({ Properties }) => {
  const { Method, Path } = Properties.Events.Route1.Properties
  return {
    Properties,
    method: Method.toUpperCase(),
    path: new RegExp(`^${Path.replace(/\{\w+\}/, '[^/]+')}$`),
  }
})

createServer(async (request, response) => {
  const { method = '', url = '' } = request
  const route = routes.find(one => one.method === method && one.path.test(url))
  if (route === undefined) {
    response.writeHead(403, { 'Content-Type': 'application/json' })
    response.end('{"message":"Missing Authentication Token"}\n')
    return
  }
  const { CodeUri, Handler, Environment } = route.Properties
  Object.assign(process.env, Environment.Variables, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'defaultkey',
    AWS_SECRET_ACCESS_KEY: 'defaultsecret',
    AWS_ENDPOINT_URL_DYNAMODB: Environment.Variables.AWS_ENDPOINT_URL_DYNAMODB.replace(
      'host.docker.internal',
      TABLE_HOST,
    ),
  })
  const module = join(dirname(template), CodeUri, Handler.replace(/\.handler$/, '.mjs'))
  const { handler } = await import(module)
  const { statusCode, headers, body, isBase64Encoded } = await handler(eventOf(request), {
    awsRequestId: 'x',
  })
  const isDecoded =
    isBase64Encoded && /(^|,)\s*(\*\/\*|application\/json)\s*(,|$)/.test(request.headers.accept ?? '')
  response.writeHead(statusCode, headers).end(isDecoded ? Buffer.from(body, 'base64') : body)
}).listen(Number(option('--port')), '127.0.0.1')

/** The recorded event with this request's data: header names in Werkzeug's spelling, lines of one header joined. */
function eventOf({ method, url, headers }: IncomingMessage) {
  const recorded = method === 'GET' ? listEvent : deleteEvent
  const spelled = Object.entries(headers).map(([name, value]) => [
    name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase()),
    String(value),
  ])
  return {
    ...recorded,
    path: url,
    headers: Object.fromEntries(spelled),
    multiValueHeaders: Object.fromEntries(spelled.map(([name, value]) => [name, [value]])),
    ...(method === 'DELETE' && { pathParameters: { saml_provider_id: url?.split('/').at(-1) } }),
  }
}
