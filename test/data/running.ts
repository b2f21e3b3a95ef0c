import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inject, onTestFinished, vi } from 'vitest'
import { command } from '../../infra/commands/data.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { captured, progress, temporaryFolder } from '../support/machine.ts'

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

/** The blocks of code of a section of a page, in order. @param page in infra/data */
export function codeOf(heading: string, page = 'README.md'): string[] {
  const text = readFileSync(join(projectRoot, 'infra/data', page), 'utf8')
  const section = text.split('\n## ').find(part => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```.*\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
}

/** Whether this machine lacks a program; says so. */
export function isMissing(subject: string, ...programs: string[]): boolean {
  const missing = programs.filter(one => spawnSync(one, ['--version']).error !== undefined)
  if (missing.length > 0) process.stdout.write(`${subject} is skipped: ${missing.join(', ')} is missing.\n`)
  return missing.length > 0
}

/** A folder where the commands of the documents can be run as in a clone. */
export function workingFolder() {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  for (const name of ['package.json', 'infra', 'lib', 'node_modules'])
    symlinkSync(join(projectRoot, name), path(name))
  return {
    write: (name: string, content: string | Buffer) => writeFileSync(path(name), content),
    read: (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined),
    /** Runs commands in bash, whose home is the folder. @returns the exit code, and what is printed */
    async run(commands: string, env: Record<string, string> = {}) {
      const child = spawn('bash', ['-c', `exec 2>&1\n${commands}`], {
        cwd: folder,
        env: { ...process.env, HOME: folder, DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'), ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const code = exitOf(child)
      return { output: await text(child.stdout), code: await code }
    },
  }
}
