import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** Runs `npm start` in a copy until it is ready. */
export async function startIn(folder: string, options: string[], env: Record<string, string> = {}) {
  const start = spawn(process.execPath, ['infra/check-node.cjs', 'infra/commands/start.ts', ...options], {
    cwd: folder,
    env: { PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(start, 'exit')
  const stderr = text(start.stderr)
  onTestFinished(async () => {
    start.kill('SIGKILL')
    await exited
  })
  const lines = createInterface(start.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`npm start has exited: ${await stderr}`)
    return value
  }
  const linesOfStart: string[] = []
  while (!linesOfStart.at(-1)?.startsWith('ready ')) linesOfStart.push(await nextLine())
  const url = linesOfStart.at(-1)?.slice(6)
  return {
    pid: Number(start.pid),
    url,
    remove: linesOfStart.find(line => line.includes('DELETE'))?.split(`${url}/`)[1],
    nextLine,
    /** Its exit code, when it has ended, and what it printed on standard error. */
    ended: async () => ({ code: (await exited)[0], stderr: await stderr }),
    stop: () => start.kill('SIGTERM'),
  }
}
