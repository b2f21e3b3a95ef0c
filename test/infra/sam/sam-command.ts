import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'
import { ipOfBridge, programsOf } from './programs.ts'
import { freePort } from '../../support/free-port.ts'

export const sam = `import(${JSON.stringify(join(import.meta.dirname, 'fake-sam.ts'))})\n`
export const docker = `const { appendFileSync } = require('node:fs')
const given = process.argv.slice(2)
appendFileSync(process.env.FAKE_DOCKER_LOG, given.join(' ') + '\\n')
process.stdout.write(given[0] === 'network' ? 'docker0\\n' : given[0] === 'ps' ? '1f2e\\n' : '')
`
/** An address of this machine; on Linux one at which nothing listens by default. */
export const bridge = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
export const programs = { sam, docker, ip: ipOfBridge(bridge) }

/** Starts the command with only these programs on the PATH, as the leader of a process group, as a shell does. */
export async function start(
  available: Record<string, string>,
  env: Record<string, string> = {},
  ...options: string[]
) {
  const folder = mkdtempSync(join(tmpdir(), 'sam-command-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [samLog, dockerLog, templateFolder] = ['sam.log', 'docker.log', 'templateFolder'].map(name =>
    join(folder, name),
  ) as [string, string, string]
  const [port, tablePort] = [await freePort(), await freePort()]
  const ports = ['--port', `${port}`, '--table-port', `${tablePort}`]
  const child = spawn(
    process.execPath,
    ['infra/commands/sam.ts', '--folder', templateFolder, ...ports, ...options],
    {
      cwd: projectRoot,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: programsOf(available),
        HOME: process.env.HOME,
        ...{ FAKE_SAM_LOG: samLog, FAKE_DOCKER_LOG: dockerLog, TABLE_HOST: bridge },
        ...env,
      },
    },
  )
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    port,
    tablePort,
    templateFolder,
    samLog: () => read(samLog).trim().split('\n'),
    dockerLog: () => read(dockerLog).trim().split('\n'),
    /** Its output and exit code, when it has ended. */
    ended: async () => {
      const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
      return { stdout, stderr, exitCode }
    },
  }
}

/** Waits for a text. @returns the output so far */
export async function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<string> {
  let printed = ''
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    printed += chunk
    if (pattern.test(printed)) return printed
  }
  throw new Error(`It ended with the output: ${printed}`)
}
