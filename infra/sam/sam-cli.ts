import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { withoutCallersAws } from '../dynamodb/client.ts'
import { hostName } from './template.ts'

/** SAM CLI loses a signal that arrives while it accepts a request; after this time it is killed. */
const stopMaxMs = 10_000

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
    },
  }
}
