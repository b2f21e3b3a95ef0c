import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { options, refuse } from '../command-line/options.ts'
import { startEngine } from '../dynamodb/engine.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder } from '../local/local-folder.ts'
import { putSampleItems } from '../sample-data/items.ts'
import { okta } from '../sample-data/providers.ts'
import { createTable } from '../dynamodb/table.ts'
import { connectTo } from '../dynamodb/client.ts'
import { projectRoot } from '../project-root.ts'
import { addressForContainers, relay } from '../sam/relay.ts'
import { hostName, writeSam } from '../sam/write.ts'

const tableName = 'saml-providers-sam'
const write = (line: string) => process.stdout.write(`${line}\n`)

try {
  const values = options(
    {
      'template-only': { type: 'boolean', default: false },
      folder: { type: 'string', default: join(projectRoot, '.build/sam') },
      port: { type: 'string', default: '3000' },
      'table-port': { type: 'string', default: '8000' },
    },
    '--template-only, --folder PATH, --port NUMBER, --table-port NUMBER',
  )
  const port = readPort('--port', values.port)
  const tablePort = readPort('--table-port', values['table-port'])
  const issuer = await openIssuer(localFolder)
  const template = writeSam({ folder: resolve(values.folder), issuers: issuer.trust, tableName, tablePort })
  write(`wrote ${template}`)
  if (!values['template-only']) await run(template, port, tablePort, await issuer.tokenFor())
} catch (error) {
  refuse(error)
}

async function run(template: string, port: number, tablePort: number, token: string): Promise<void> {
  if (spawnSync('sam', ['--version']).error !== undefined)
    refuse(
      'There is no program sam here: install AWS SAM CLI and Docker and type `npm run sam` again, or add --template-only for the template alone.',
    )
  const engine = await startEngine()
  const client = connectTo(engine.endpoint)
  await createTable(client, tableName)
  await putSampleItems(client, tableName)
  client.destroy()
  const address = addressForContainers()
  await relay(Number(new URL(engine.endpoint).port), address, tablePort).catch(
    explainPort(address, tablePort),
  )

  const url = `http://127.0.0.1:${port}/api/v2/saml`
  write('')
  write('List the providers, then remove Okta and see whom it affects, once SAM CLI says that it is running:')
  write('')
  write(`curl -H 'Authorization: Bearer ${token}' ${url}`)
  write('')
  write(`curl -X DELETE -H 'Authorization: Bearer ${token}' ${url}/providers/${okta.id}`)
  write('')
  const sam = spawn(
    'sam',
    [
      ...['local', 'start-api', '--template', template, '--port', String(port)],
      ...['--warm-containers', 'EAGER'], // otherwise each request waits for a new container
      // Docker Desktop knows the name; on Linux it has to be said.
      ...(process.platform === 'linux' ? ['--add-host', `${hostName}:host-gateway`] : []),
    ],
    { stdio: 'inherit', env: { ...process.env, SAM_CLI_TELEMETRY: '0' } },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => sam.kill(signal))
  const [status] = await once(sam, 'exit')
  process.exit(status ?? 0)
}

function readPort(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65_535)
    throw new Error(`${option} must be a number from 1 to 65535, and is "${text}".`)
  return Number(text)
}

function explainPort(address: string, port: number) {
  return (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${port} of ${address} is taken: end what uses it, or choose another one with --table-port.`,
    )
  }
}
