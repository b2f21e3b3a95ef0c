import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CommanderError } from '@commander-js/extra-typings'
import { inject, onTestFinished, vi } from 'vitest'
import { sentenceOf } from '../../infra/command-line/sentence-of.ts'
import { command } from '../../infra/commands/data.ts'

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

/** Runs work in this process. @returns what it prints, without lines of progress, and its exit code */
export async function captured(work: () => Promise<unknown>) {
  const printed = { stdout: '', stderr: '' }
  const streams = (['stdout', 'stderr'] as const).map(name => {
    const stream = process[name]
    const { write } = stream
    stream.write = (text: string | Uint8Array) => {
      printed[name] += text
      return true
    }
    return () => {
      stream.write = write
    }
  })
  process.exitCode = undefined
  try {
    const returned = await work()
    return outcome(Number(process.exitCode ?? returned ?? 0))
  } catch (error) {
    if (error instanceof CommanderError) return outcome(error.exitCode)
    printed.stderr += `${sentenceOf(error as Error)}\n`
    return outcome(Number(process.exitCode ?? 1))
  } finally {
    for (const restore of streams) restore()
    process.exitCode = undefined
  }
  function outcome(code: number) {
    return { code, stdout: printed.stdout, stderr: printed.stderr.replace(progress, '') }
  }
}

/** Runs `npm run data -- …` in this process; its standard input cannot be used. */
export function dataHere(...args: string[]) {
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('dynamodbEndpoint'))
  onTestFinished(() => void vi.unstubAllEnvs())
  return captured(() => command.parseAsync(args, { from: 'user' }))
}
