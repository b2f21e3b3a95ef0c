import { execFile } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')

/** Runs the command with these options. */
export const smoke = (...options: string[]) => smokeWith({}, ...options)

export async function smokeWith(variables: NodeJS.ProcessEnv, ...options: string[]) {
  const env = { ...process.env, ...variables }
  const command = run(process.execPath, ['infra/commands/smoke.ts', ...options], { cwd: root, env })
  const { code, stdout, stderr } = await command.then(
    output => ({ code: 0, ...output }),
    (failure: { code: number; stdout: string; stderr: string }) => failure,
  )
  return { code, stderr, stdout, lines: stdout.trim().split('\n') }
}

/** Starts a server with this listener. @returns its URL */
export async function serverOf(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A text in the form of a token. */
export const someToken = 'aaa.bbb.ccc'
