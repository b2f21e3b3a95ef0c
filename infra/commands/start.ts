import { options, refuse } from '../command-line/options.ts'
import { dynamodbEndpoint } from '../dynamodb/endpoint.ts'
import { localFolder } from '../local/local-folder.ts'
import { okta } from '../sample-data/providers.ts'
import { type LocalStack, startLocalStack } from '../local/stack.ts'

const write = (line: string) => process.stdout.write(`${line}\n`)

let stopping = false
let stack: Promise<LocalStack> | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopAll)

// Where npm's shell does not pass a signal on, it ends alone: nobody would be left to end this process.
const shell = process.ppid
if (process.env.npm_lifecycle_event !== undefined)
  setInterval(() => process.ppid !== shell && stopAll(), 500).unref()

try {
  const { keep = false } = options({ keep: { type: 'boolean' } }, '--keep')
  stack = startLocalStack({
    port: readPort(process.env.PORT),
    dynamodbEndpoint: dynamodbEndpoint(),
    dataDirectory: localFolder,
    keep,
    log: write,
  })
  const { url, tokenFor, died } = await stack
  died.then(said => {
    if (!stopping) refuse(`The functions ended by themselves:\n${said}`)
  })
  const token = await tokenFor()
  write('')
  write('List the providers, then remove Okta and see whom it affects:')
  write('')
  write(`curl -H 'Authorization: Bearer ${token}' ${url}/api/v2/saml`)
  write('')
  write(`curl -X DELETE -H 'Authorization: Bearer ${token}' ${url}/api/v2/saml/providers/${okta.id}`)
  write('')
  write(`ready ${url}`)
} catch (error) {
  if (!stopping) refuse(error)
}

/** Also in the middle of a start: what was started by then is stopped. */
async function stopAll(): Promise<void> {
  if (stopping) return
  stopping = true
  await stack?.then(
    started => started.stop(),
    () => {},
  )
  process.exit(0)
}

function readPort(text = '3000'): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new Error(`PORT must be a number from 0 to 65535, and is "${text}".`)
  return Number(text)
}
