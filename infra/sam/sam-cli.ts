import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { withoutCallersAws } from '../dynamodb/client.ts'
import { acquireLock } from '../local/lock.ts'
import { hostName } from './template.ts'

/** SAM CLI loses a signal that arrives while it accepts a request; after this time it is killed. */
const stopMaxMs = 10_000
const pollMs = 100

/** @throws Error of one sentence */
export async function checkSamCli(): Promise<void> {
  try {
    await promisify(execFile)('sam', ['--version'])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException // the message ends with the output on stderr
    const remedy = 'install it, or write only the template with --template-only.'
    if (code === 'ENOENT') throw new Error(`AWS SAM CLI is missing: ${remedy}`)
    throw new Error(`AWS SAM CLI does not work (${message.trim().split('\n').at(-1)}): ${remedy}`)
  }
}

export interface SamCli {
  /** Rejects when SAM CLI exits, with a sentence that quotes the last line of its output. */
  ended: Promise<never>
  stop(): Promise<void>
}

/**
 * Runs `sam local start-api` on the template. It has its own process group, because a terminal sends Ctrl-C to the whole
 * group, and SAM CLI aborts its clean-up at a second signal.
 *
 * SAM CLI gets no credentials: otherwise it calls STS with them and passes them to the functions.
 *
 * @param output the file for the output of SAM CLI and the functions
 */
export function startSamCli(template: string, port: number, output: string): SamCli {
  const file = openSync(output, 'w')
  const child = spawn(
    'sam',
    [
      ...['local', 'start-api', '--template', template, '--port', String(port)],
      ...['--warm-containers', 'EAGER'], // otherwise each request waits for a new container
      ...(process.platform === 'linux' ? ['--add-host', `${hostName}:host-gateway`] : []),
    ],
    {
      detached: true,
      stdio: ['ignore', file, file],
      env: { ...withoutCallersAws(process.env), SAM_CLI_TELEMETRY: '0' },
    },
  )
  closeSync(file)
  const pidFile = pidFileOf(template)
  writeFileSync(pidFile, String(child.pid))
  const exited = once(child, 'exit')
  const ended = exited.then(() => {
    const lastLine = readFileSync(output, 'utf8').trim().split('\n').at(-1)
    throw new Error(`SAM CLI exited (${lastLine}): see ${output} for the reason.`)
  })
  ended.catch(() => {}) // after stop() nothing waits for it
  const terminate = () => void child.kill('SIGTERM')
  process.once('exit', terminate)
  return {
    ended,
    stop: async () => {
      process.off('exit', terminate)
      terminate()
      const expired = sleep(stopMaxMs, 'expired', { ref: false })
      if ((await Promise.race([exited, expired])) === 'expired') child.kill('SIGKILL')
      await exited
      rmSync(pidFile)
    },
  }
}

/**
 * Ends the SAM CLI that a killed `npm run sam` left running on this template. A process is ended only when it has the
 * recorded id and runs this template, so none that got the id later.
 *
 * @throws Error of one sentence when its `npm run sam` still runs
 */
export async function endLeftSamCli(template: string): Promise<void> {
  const pidFile = pidFileOf(template)
  if (!existsSync(pidFile)) return
  const release = acquireLock(dirname(template))
  const pid = Number(readFileSync(pidFile, 'utf8'))
  let isLeft = signalSamCli(pid, template, 'SIGTERM')
  for (let waitedMs = 0; isLeft; waitedMs += pollMs) {
    await sleep(pollMs)
    isLeft = signalSamCli(pid, template, waitedMs < stopMaxMs ? 0 : 'SIGKILL')
  }
  rmSync(pidFile)
  release()
}

const pidFileOf = (template: string) => join(dirname(template), 'sam-cli.pid')

/** @param signal 0 sends none @returns whether this process is the SAM CLI of the template; false without a /proc */
function signalSamCli(pid: number, template: string, signal: NodeJS.Signals | 0): boolean {
  try {
    const isSamCli = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0--template\0${template}\0`)
    return isSamCli && process.kill(pid, signal)
  } catch {
    return false // it has ended, or belongs to somebody else
  }
}
