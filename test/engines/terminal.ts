import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, vi } from 'vitest'
import { projectRoot } from '../../infra/project-root.ts'
import { codeFolder } from '../../infra/sam/template.ts'
import { freePort } from '../support/free-port.ts'
import { run } from './programs.ts'

export type Terminal = Awaited<ReturnType<typeof openTerminal>>

/** Runs `npm run sam` on a pseudo-terminal, with AWS settings that it must not use. */
export async function openTerminal(until: RegExp) {
  const [port, tablePort] = [await freePort(), await freePort()]
  const command = `npm run sam -- --port ${port} --table-port ${tablePort}`
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
    run('docker', 'ps', '--all', '--quiet', '--filter', `volume=${codeFolder}`).split('\n').filter(Boolean)
  terminal.stdin?.on('error', () => {}) // it may have ended
  terminal.stdout?.on('data', chunk => {
    printed += chunk
  })
  const closed = once(terminal, 'close')
  await Promise.race([
    vi.waitFor(() => expect(printed).toMatch(until), { timeout: 120_000 }),
    closed.then(() => Promise.reject(new Error(`It ended with the output: ${printed}`))),
  ])
  const [, table = ''] = /embedded DynamoDB at (\S+)/.exec(printed) ?? []
  return {
    url: `http://127.0.0.1:${port}`,
    printed: () => printed,
    containers,
    type: (keys: string) => terminal.stdin?.write(keys),
    hangUp: () => terminal.kill('SIGKILL'),
    /** Resolves when its table is gone, which is its last step; npm may end earlier. */
    ended: () => vi.waitFor(() => expect(fetch(table)).rejects.toThrow(), { timeout: 60_000 }),
    async close() {
      terminal.stdin?.write('\x03')
      await this.ended()
      await closed
    },
  }
}
