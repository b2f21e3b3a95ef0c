import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { listen } from '../../infra/listen.ts'
import { copyOfProject } from './machine.ts'
import { writePackage } from './write-package.ts'

declare module 'vitest' {
  interface ProvidedContext {
    packagesUrl: string
  }
}

/** A package that the framework wrote. */
export interface Written {
  folder: string
  /** What the framework printed. */
  printed: string
}

/**
 * The packages that all tests share. Each is built once, at the first request for it: the query of the URL has the
 * options of `serverless package`, and the response is a Written.
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

/** The framework writes to the folder of the service alone, so each package has a copy of the project. */
async function write(folder: string, url: string): Promise<Written> {
  mkdirSync(folder)
  const printed = await writePackage(copyOfProject(folder), [
    ...new URL(url, 'http://127.0.0.1').searchParams,
  ])
  return { folder: join(folder, '.serverless'), printed }
}
