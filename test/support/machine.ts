import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CommanderError } from '@commander-js/extra-typings'
import { onTestFinished } from 'vitest'
import { close, listen } from '../../infra/listen.ts'
import { projectRoot } from '../../infra/project-root.ts'

/** Makes a folder that is removed at the end of the test. @returns its path */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The path of a file with this text, alone in a temporary folder. */
export function temporaryFile(text: string | Buffer): string {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, text)
  return file
}

/** The path of a named pipe, alone in a temporary folder. */
export function namedPipe(): string {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  return pipe
}

const parts = ['functions', 'infra', 'lib', 'package.json', 'serverless.yml']

/** Copies the project to a folder whose files the test may edit. @returns the folder */
export function copyOfProject(folder = temporaryFolder()): string {
  for (const part of parts) cpSync(join(projectRoot, part), join(folder, part), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/**
 * Packages a copy of the project with the framework.
 *
 * @param options names and values, such as `['stage', 'dev']`
 * @returns what the framework printed
 * @throws Error with what it printed
 */
export async function writePackage(
  folder: string,
  options: [name: string, value: string][],
): Promise<string> {
  const command = ['node_modules/serverless/bin/serverless.js', 'package']
  const given = options.map(([name, value]) => `--${name}=${value}`)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...command, ...given], {
    cwd: folder,
  }).catch(({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr)))
  return stdout + stderr
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server, 0)
  await once(server.close(), 'close')
  return port
}

/** Starts a server with this listener until the end of the test. @returns its URL */
export async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => close(server))
  return `http://127.0.0.1:${await listen(server, 0)}`
}

/** The lines of progress, one every five seconds: their number depends on the machine. */
const progress = /^[a-z ]+: \d+(?: of \d+)?\n/gm

/** Runs work in this process. @returns what it prints, without lines of progress, and its exit code */
export async function captured(work: () => Promise<unknown>) {
  const printed = { stdout: '', stderr: '' }
  const streams = (['stdout', 'stderr'] as const).map(name => {
    const stream = process[name]
    const { write } = stream
    stream.write = (text: string | Uint8Array, ...more: unknown[]) => {
      printed[name] += text
      const written = more.at(-1)
      if (typeof written === 'function') written()
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
    printed.stderr += `${(error as Error).message}\n`
    return outcome(Number(process.exitCode ?? 1))
  } finally {
    for (const restore of streams) restore()
    process.exitCode = undefined
  }
  function outcome(code: number) {
    return { code, stdout: printed.stdout, stderr: printed.stderr.replace(progress, '') }
  }
}
