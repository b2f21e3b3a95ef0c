import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inject, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** The lines of progress, one every five seconds: their number depends on the machine. */
const progress = /^[a-z]+: \d+( %(, \d+ s left)?)?\n/gm

/** Runs `npm run data -- …` in its own process. The outcome is without lines of progress. */
export function runData(args: string[], { input = '', env = {} }: { input?: string; env?: object } = {}) {
  const child = spawn(process.execPath, ['infra/commands/data.ts', ...args], {
    cwd: root,
    env: { ...process.env, DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'), ...env },
  })
  // One that never ends must not outlive its test.
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => {}).end(input)
  const code = new Promise<number | null>(resolve => child.on('close', resolve))
  const outcome = Promise.all([code, text(child.stdout), text(child.stderr)])
  return {
    child,
    outcome: outcome.then(([code, stdout, stderr]) => ({
      code,
      stdout,
      stderr: stderr.replace(progress, ''),
    })),
  }
}
