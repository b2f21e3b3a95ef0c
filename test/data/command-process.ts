import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inject, onTestFinished, vi } from 'vitest'
import { command } from '../../infra/commands/data.ts'
import { captured, progress } from '../support/machine.ts'

const root = join(import.meta.dirname, '..', '..')

/** Runs `npm run data -- …` in its own process. The outcome is without lines of progress. @param stdout default: a pipe */
export function runData(
  args: string[],
  { input = '', env = {}, stdout = 'pipe' }: { input?: string; env?: object; stdout?: 'pipe' | number } = {},
) {
  const child = spawn(process.execPath, ['infra/commands/data.ts', ...args], {
    cwd: root,
    env: { ...process.env, DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'), ...env },
    stdio: ['pipe', stdout, 'pipe'],
  })
  // One that never ends must not outlive its test.
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.on('error', () => {}).end(input)
  const code = new Promise<number | null>(resolve => child.on('close', resolve))
  const outcome = Promise.all([code, child.stdout ? text(child.stdout) : '', text(child.stderr as Readable)])
  return {
    child,
    outcome: outcome.then(([code, stdout, stderr]) => ({
      code,
      stdout,
      stderr: stderr.replace(progress, ''),
    })),
  }
}

/** Runs `npm run data -- …` in this process; its standard input cannot be used. */
export function dataHere(...args: string[]) {
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('dynamodbEndpoint'))
  onTestFinished(() => void vi.unstubAllEnvs())
  return captured(() => command.parseAsync(args, { from: 'user' }))
}
