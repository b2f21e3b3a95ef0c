import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import { temporaryFolder } from '../support/machine.ts'

const root = join(import.meta.dirname, '../..')

/** The blocks of code of a section of a page, in order. @param page in infra/data */
export function codeOf(heading: string, page = 'README.md'): string[] {
  const text = readFileSync(join(root, 'infra/data', page), 'utf8')
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
    symlinkSync(join(root, name), path(name))
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
      const code = new Promise<number | null>(resolve => child.on('close', resolve))
      return { output: await text(child.stdout), code: await code }
    },
  }
}
