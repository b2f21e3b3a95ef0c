import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { listen } from '../../infra/listen.ts'
import { projectRoot } from '../../infra/project-root.ts'

declare module 'vitest' {
  interface ProvidedContext {
    packagesUrl: string
  }
}

/** A package that `npm run package` wrote. */
export interface Written {
  folder: string
  /** What the command printed. */
  printed: string
}

const run = promisify(execFile)

/**
 * The packages that all tests share. Each is built once, at the first request for it: the query of the URL has the
 * options of `npm run package`, and the response is a Written.
 */
export default async function sharePackages({ provide }: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'))
  const packages = new Map<string, Promise<Written>>()
  const server = createServer(async ({ url = '' }, response) => {
    const written = packages.get(url) ?? write(join(folder, String(packages.size)), url)
    packages.set(url, written)
    await written.then(
      answer => response.end(JSON.stringify(answer)),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  provide('packagesUrl', `http://127.0.0.1:${await listen(server, 0)}`)
  return () => {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
}

async function write(folder: string, url: string): Promise<Written> {
  const options = [...new URL(url, 'http://127.0.0.1').searchParams].map(
    ([name, value]) => `--${name}=${value}`,
  )
  const command = ['infra/commands/package.ts', '--package', folder, ...options]
  const { stdout, stderr } = await run(process.execPath, command, { cwd: projectRoot })
  return { folder, printed: stdout + stderr }
}
