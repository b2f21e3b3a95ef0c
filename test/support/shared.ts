import { generateKeyPair } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { startEngine } from '../../infra/dynamodb/engine.ts'
import { listen } from '../../infra/listen.ts'
import { copyOfProject, writePackage } from './machine.ts'

/** The owners of the keys: the trusted issuer of most tests, the issuer of `world`, and another issuer. */
const owners = ['trusted', 'world', 'other'] as const

declare module 'vitest' {
  interface ProvidedContext {
    /** Of DynamoDB, at DYNAMODB_ENDPOINT or embedded. Tests create tables of their own. */
    dynamodbEndpoint: string
    /** Private RSA keys in PEM: generating one takes longer than most tests. */
    rsaKeys: Record<(typeof owners)[number], string>
    /** Responds with a Written to the options of `serverless package` in its query; builds each package once. */
    packagesUrl: string
  }
}

/** A package that the framework wrote. */
export interface Written {
  folder: string
  /** What the framework printed. */
  printed: string
}

/** Provides what all test files share. */
export default async function share({ provide }: TestProject) {
  const keys = owners.map(async owner => {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
    return [owner, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()]
  })
  provide('rsaKeys', Object.fromEntries(await Promise.all(keys)))
  const given = process.env.DYNAMODB_ENDPOINT
  const engine = given === undefined ? await startEngine() : undefined
  provide('dynamodbEndpoint', engine?.endpoint ?? String(given))
  const packages = await servePackages()
  provide('packagesUrl', packages.url)
  return async () => {
    packages.stop()
    await engine?.stop()
  }
}

async function servePackages() {
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
  const url = `http://127.0.0.1:${await listen(server, 0)}`
  const stop = () => {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
  return { url, stop }
}

/** The framework writes to the folder of the service alone, so each package has a copy of the project. */
async function write(folder: string, url: string): Promise<Written> {
  mkdirSync(folder)
  const options = new URL(url, 'http://127.0.0.1').searchParams
  const printed = await writePackage(copyOfProject(folder), [...options])
  return { folder: join(folder, '.serverless'), printed }
}
