import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'

const run = promisify(execFile)
const answerMaxMs = 10_000
const loopback = '127.0.0.1'
const bridgeName = '{{index .Options "com.docker.network.bridge.name"}}'

/**
 * The address of this machine behind `host.docker.internal`: on Linux that of Docker's bridge, with Docker Desktop the
 * loopback interface.
 *
 * It asks `ip`, because Node's networkInterfaces() omits a bridge without a running container, and older Docker engines do
 * not tell its address.
 *
 * @throws Error of one sentence when Docker is missing or does not answer
 */
export async function addressForContainers(): Promise<string> {
  const bridge = (await docker('network', 'inspect', 'bridge', '--format', bridgeName)).trim()
  if (process.platform !== 'linux') return loopback
  try {
    const { stdout } = await run('ip', ['-4', '-o', 'address', 'show', 'dev', bridge])
    return /\binet ([\d.]+)/.exec(stdout)?.[1] ?? loopback
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return loopback // this machine has no such interface
    throw new Error(
      "The program ip, which reads the address of Docker's bridge, is missing: install iproute2.",
    )
  }
}

/** Removes the containers that SAM CLI created for the functions in this folder. */
export async function removeContainers(codeFolder: string): Promise<void> {
  const filters = ['--filter', 'label=sam.cli.container.type=lambda', '--filter', `volume=${codeFolder}`]
  const ids = (await docker('ps', '--all', '--quiet', ...filters)).split('\n').filter(id => id !== '')
  if (ids.length > 0) await docker('rm', '--force', ...ids)
}

/** Runs docker in its own process group, so that a second Ctrl-C does not interrupt the clean-up. */
async function docker(...parameters: string[]): Promise<string> {
  const child = spawn('docker', parameters, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: answerMaxMs,
  })
  const [output, fault, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close').catch(explainMissing),
  ])
  if (exitCode === 0) return output
  const [refusal] = /^Error.*/m.exec(fault) ?? []
  if (refusal !== undefined)
    throw new Error(
      `\`docker ${parameters[0]}\` failed (${refusal.trim()}): correct this in Docker, and try again.`,
    )
  const [reason = ''] = child.killed ? [`no answer within ${answerMaxMs / 1000} s`] : fault.split(/\. |\n/)
  throw new Error(`Docker does not answer (${reason}): start it, and allow this user to use it.`)
}

function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error
  throw new Error('Docker is missing: install and start it, or write only the template with --template-only.')
}
