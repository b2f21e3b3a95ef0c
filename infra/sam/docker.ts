import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'

const run = promisify(execFile)
const answerMaxMs = 10_000
const loopback = '127.0.0.1'
const bridgeName = '{{index .Options "com.docker.network.bridge.name"}}'

/**
 * The address of this machine that `host.docker.internal` leads containers to: on Linux that of Docker's bridge, with
 * Docker Desktop that of the loopback interface.
 *
 * Node's networkInterfaces() leaves out a bridge without a running container, and older engines do not name its address.
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
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return loopback // there is no such interface here
    throw new Error(
      "The program ip, which tells the address of Docker's bridge, is missing: install iproute2.",
    )
  }
}

/** Removes the containers that SAM CLI made for the functions in this folder, and no others. */
export async function removeContainers(codeFolder: string): Promise<void> {
  const filters = ['--filter', 'label=sam.cli.container.type=lambda', '--filter', `volume=${codeFolder}`]
  const ids = (await docker('ps', '--all', '--quiet', ...filters)).split('\n').filter(id => id !== '')
  if (ids.length > 0) await docker('rm', '--force', ...ids)
}

/** Of a process group of its own, so that a second Ctrl-C does not interrupt the cleaning up. */
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
  const [reason = ''] = child.killed ? [`it was silent for ${answerMaxMs / 1000} s`] : fault.split(/\. |\n/)
  throw new Error(`Docker does not answer (${reason}): start it, and let this user use it.`)
}

function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error
  throw new Error(
    'Docker is missing: install and start it, or write the template alone with --template-only.',
  )
}
