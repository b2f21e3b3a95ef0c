import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { runCommand } from '../command-line/command.ts'
import { curlLines } from '../command-line/curl-lines.ts'
import { onInterrupt } from '../command-line/signals.ts'
import { readPort } from '../command-line/values.ts'
import { startEngine } from '../dynamodb/engine.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder } from '../local/local-folder.ts'
import { putSampleItems } from '../sample-data/items.ts'
import { okta } from '../sample-data/providers.ts'
import { createTable } from '../dynamodb/table.ts'
import { connectTo } from '../dynamodb/client.ts'
import { projectRoot } from '../project-root.ts'
import { endpointUrls } from '../serverless/service-definition.ts'
import { addressForContainers, relay } from '../sam/relay.ts'
import { hostName, writeSam } from '../sam/write.ts'

const tableName = 'saml-providers-sam'
const write = (line: string) => process.stdout.write(`${line}\n`)

await runCommand({
  name: 'npm run sam --',
  purpose:
    "Runs the packaged service in SAM CLI's containers, with the embedded DynamoDB and the sample data.",
  options: {
    'template-only': {
      type: 'boolean',
      description: "Writes SAM's template and the code beside it, and ends.",
    },
    folder: { type: 'string', value: 'PATH', description: 'Where both are written.', default: '.build/sam' },
    port: { type: 'string', value: 'NUMBER', description: 'The port of the endpoints.', default: '3000' },
    'table-port': {
      type: 'string',
      value: 'NUMBER',
      description: 'The port of the DynamoDB.',
      default: '8000',
    },
  },
  example: 'npm run sam -- --port 3100',
  async run({ 'template-only': templateOnly, folder, ...ports }) {
    const port = readPort('--port', ports.port, 1)
    const tablePort = readPort('--table-port', ports['table-port'], 1)
    const issuer = await openIssuer(localFolder)
    const place = resolve(projectRoot, folder)
    const template = writeSam({ folder: place, issuers: issuer.trust, tableName, tablePort })
    write(`wrote ${template}`)
    if (!templateOnly) await start(template, port, tablePort)
  },
})

async function start(template: string, port: number, tablePort: number): Promise<void> {
  if (spawnSync('sam', ['--version']).error !== undefined)
    throw new Error(
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

  const { listUrl, deleteUrl } = endpointUrls(`http://127.0.0.1:${port}`)
  write(`\nOnce SAM CLI says that it is running:\n\n${curlLines(listUrl, `${deleteUrl}${okta.id}`)}`)
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
  onInterrupt(() => sam.kill())
  const [status] = await once(sam, 'exit')
  process.exit(status ?? 0)
}

function explainPort(address: string, port: number) {
  return (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${port} of ${address} is taken: end what uses it, or choose another one with --table-port.`,
    )
  }
}
