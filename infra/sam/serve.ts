import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { buildFunctions } from '../build.ts'
import { connectTo, withoutCallersAws } from '../dynamodb/client.ts'
import { startEngine } from '../dynamodb/engine.ts'
import { explainPort } from '../listen.ts'
import { prepareTable } from '../local/table.ts'
import { curlLines } from '../sample-data/curl-lines.ts'
import { endpointUrls } from '../serverless/service-definition.ts'
import { codeFolder, hostName, tableName, writeTemplate } from './template.ts'

export interface ServeOptions {
  port: number
  tablePort: number
  /** The value of ISSUERS. */
  issuers: string
  log: (line: string) => void
}

const run = promisify(execFile)

/** SAM CLI loses a signal that arrives while it accepts a request; after this time it is killed. */
const stopMaxMs = 10_000

/**
 * Serves the functions in SAM CLI's containers until it is interrupted.
 *
 * @throws Error of one sentence
 */
export async function serve(options: ServeOptions, interrupted: AbortSignal): Promise<void> {
  const { port, tablePort, issuers, log } = options
  await using started = new AsyncDisposableStack()
  const host = await addressForContainers()
  await buildFunctions()
  const template = await writeTemplate(issuers, tablePort)
  log(`template   ${template}`)
  const engine = await startEngine({ host, hostNames: [hostName], port: tablePort }).catch(
    explainPort(tablePort, '--table-port NUMBER'),
  )
  started.defer(engine.stop)
  log(`table      ${tableName} in an embedded DynamoDB at ${engine.endpoint}`)
  log(`data       ${await prepareTable(connectTo(engine.endpoint), tableName)}`)
  const { listUrl, deleteUrl } = endpointUrls(`http://127.0.0.1:${port}`)
  log(`\n${curlLines(listUrl, deleteUrl)}`)
  if (interrupted.aborted) return
  started.defer(removeContainers)
  await runSamCli(template, port, interrupted)
}

/**
 * Runs `sam local start-api`. It has its own process group, because a terminal sends Ctrl-C to the whole group, and SAM CLI
 * aborts its clean-up at a second signal. It gets no credentials, which it would pass to the functions.
 */
async function runSamCli(template: string, port: number, interrupted: AbortSignal): Promise<void> {
  const parameters = ['local', 'start-api', '--template', template, '--port', String(port)]
  parameters.push('--warm-containers', 'EAGER') // otherwise each request waits for a new container
  if (process.platform === 'linux') parameters.push('--add-host', `${hostName}:host-gateway`)
  const sam = spawn('sam', parameters, {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...withoutCallersAws(process.env), SAM_CLI_TELEMETRY: '0' },
  })
  const stop = () => {
    sam.kill('SIGTERM')
    setTimeout(() => sam.kill('SIGKILL'), stopMaxMs).unref()
  }
  process.once('exit', () => sam.kill('SIGTERM'))
  interrupted.addEventListener('abort', stop)
  const [exitCode] = await once(sam, 'exit').catch(({ code }) => {
    throw new Error(`AWS SAM CLI cannot be started (${code}): install it.`)
  })
  if (!interrupted.aborted) throw new Error(`AWS SAM CLI exited with ${exitCode}: its output says why.`)
}

/**
 * The address of this machine behind `host.docker.internal`: on Linux that of Docker's bridge, with Docker Desktop the
 * loopback interface.
 *
 * It asks `ip`, because Node's networkInterfaces() omits a bridge without a running container, and older Docker engines do
 * not tell its address.
 *
 * @throws Error of one sentence when Docker is missing or does not answer
 */
async function addressForContainers(): Promise<string> {
  const bridgeName = '{{index .Options "com.docker.network.bridge.name"}}'
  const bridge = await docker('network', 'inspect', 'bridge', '--format', bridgeName)
  const { stdout } = await run('ip', ['-4', '-o', 'address', 'show', 'dev', bridge]).catch(() => ({
    stdout: '',
  }))
  return /\binet ([\d.]+)/.exec(stdout)?.[1] ?? '127.0.0.1'
}

/** Removes the containers that SAM CLI has left, as it does when it is stopped while it creates them. */
async function removeContainers(): Promise<void> {
  const filters = ['--filter', 'label=sam.cli.container.type=lambda', '--filter', `volume=${codeFolder}`]
  const ids = (await docker('ps', '--all', '--quiet', ...filters)).split('\n').filter(id => id !== '')
  if (ids.length > 0) await docker('rm', '--force', ...ids)
}

/** Runs docker in its own process group, so that a second Ctrl-C does not interrupt the clean-up. */
async function docker(...parameters: string[]): Promise<string> {
  const child = spawn('docker', parameters, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, fault, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close').catch(({ code }) => [code]),
  ])
  if (exitCode === 0) return output.trim()
  const [reason] = (fault.trim() || String(exitCode)).split('\n')
  throw new Error(`Docker does not answer (${reason}): install and start it, and allow this user to use it.`)
}
