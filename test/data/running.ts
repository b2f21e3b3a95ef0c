import { spawn, spawnSync } from 'node:child_process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inject, onTestFinished, vi } from 'vitest'
import { command } from '../../infra/commands/data.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { captured, progress } from '../support/machine.ts'

const exitOf = (child: ReturnType<typeof spawn>) =>
  new Promise<number | null>(resolve => child.on('close', resolve))

/** Runs `npm run data -- …` in its own process. The outcome is without lines of progress. @param stdout default: a pipe */
export function runData(
  args: string[],
  { input = '', env = {}, stdout = 'pipe' }: { input?: string; env?: object; stdout?: 'pipe' | number } = {},
) {
  const child = spawn(process.execPath, ['infra/commands/data.ts', ...args], {
    cwd: projectRoot,
    env: { ...process.env, DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'), ...env },
    stdio: ['pipe', stdout, 'pipe'],
  })
  // One that never ends must not outlive its test.
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.on('error', () => {}).end(input)
  const parts = [
    exitOf(child),
    child.stdout ? text(child.stdout) : '',
    text(child.stderr as Readable),
  ] as const
  const outcome = Promise.all(parts).then(([code, stdout, stderr]) => ({
    ...{ code, stdout },
    stderr: stderr.replace(progress, ''),
  }))
  return { child, outcome }
}

/** Runs `npm run data -- …` in this process; its standard input cannot be used. */
export function dataHere(...args: string[]) {
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('dynamodbEndpoint'))
  onTestFinished(() => void vi.unstubAllEnvs())
  return captured(() => command.parseAsync(args, { from: 'user' }))
}

/** Whether this machine lacks a program; says so. */
export function isMissing(subject: string, ...programs: string[]): boolean {
  const missing = programs.filter(one => spawnSync(one, ['--version']).error !== undefined)
  if (missing.length > 0) process.stdout.write(`${subject} is skipped: ${missing.join(', ')} is missing.\n`)
  return missing.length > 0
}
