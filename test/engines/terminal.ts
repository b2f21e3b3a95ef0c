import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { acquireLock } from '../../infra/local/lock.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { run } from './programs.ts'
import { freePort } from '../support/free-port.ts'

export type Terminal = Awaited<ReturnType<typeof openTerminal>>

/** Runs `npm run sam` on a pseudo-terminal, with AWS settings that it must not use. */
export async function openTerminal(until = /^ready |Not ready/m) {
  const folder = mkdtempSync(join(tmpdir(), 'sam-engine-'))
  const [port, tablePort] = [await freePort(), await freePort()]
  const command = `npm run sam -- --folder ${folder} --port ${port} --table-port ${tablePort}`
  const terminal: ChildProcess = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SAM_SKIP_PULL_IMAGE: '1', // the tests use no network
      ...{ AWS_PROFILE: 'no-such', AWS_REGION: 'us-west-2', AWS_ACCESS_KEY_ID: 'callers-own' },
    },
  })
  let printed = ''
  const containers = () =>
    run('docker', 'ps', '--all', '--quiet', '--filter', `volume=${folder}/code`).split('\n').filter(Boolean)
  const ended = () => vi.waitFor(() => acquireLock(folder)(), { timeout: 60_000 })
  terminal.stdin?.on('error', () => {}) // it may have ended
  terminal.stdout?.on('data', chunk => {
    printed += chunk
  })
  const closed = once(terminal, 'close')
  await Promise.race([
    vi.waitFor(() => expect(printed).toMatch(until), { timeout: 120_000 }),
    closed.then(() => Promise.reject(new Error(`It ended with the output: ${printed}`))),
  ])
  return {
    folder,
    url: `http://127.0.0.1:${port}`,
    printed: () => printed,
    containers,
    type: (keys: string) => terminal.stdin?.write(keys),
    hangUp: () => terminal.kill('SIGKILL'),
    /** Resolves when the lock of its folder is released, which is its last step. */
    ended,
    close: async () => {
      terminal.stdin?.write('\x03')
      await ended()
      await closed
      rmSync(folder, { recursive: true })
    },
  }
}
