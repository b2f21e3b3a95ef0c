import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildFunctions } from '../../infra/build.ts'
import { localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { loadedModules } from '../support/loaded-modules.ts'
import { selfSigned } from '../auth/keys/certificate.ts'
import { benchTable, replayingEngine } from './bench-table.ts'
import { type Figure, inTurns } from './measured.ts'
import type { TestRequest } from '../support/api-request.ts'
import { environment, eventOf } from './one-process.ts'

const run = promisify(execFile)
/** What is built stays out of the tree of sources. */
const floors = join(projectRoot, '.build', 'bench')

/** Imports a module, has it answer an event, and prints the milliseconds since the process began, and those of the CPU. */
const program = `
const { handler } = await import(process.argv[1])
const { statusCode } = await handler(JSON.parse(process.argv[2]), { getRemainingTimeInMillis: () => 10_000 })
const { user, system } = process.cpuUsage()
process.stdout.write(statusCode + ' ' + performance.now() + ' ' + (user + system) / 1000)
process.exit()
`

const callsMs = [0, 10]

/**
 * From the start of a process to its first answer over TLS, as in Lambda: CPU time with replies at once, and time with
 * replies after 10 ms. Floors are the SDK's client with one GetItem, and an empty handler.
 */
export async function* measureColdStart(rounds: number): AsyncGenerator<Figure> {
  const { endpoint, tableName, close } = await benchTable()
  await cp(join(import.meta.dirname, 'cold'), floors, { recursive: true })
  await Promise.all([buildFunctions(), buildFunctions(floors)])
  const certificate = selfSigned()
  const trusted = join(floors, 'certificate.pem')
  await writeFile(trusted, certificate.cert)
  for (const callMs of callsMs) {
    const replaying = await replayingEngine(endpoint, callMs, certificate)
    const unit = callMs === 0 ? 'ms CPU' : 'ms'
    const env = {
      ...localAwsEnvironment,
      ...environment(tableName),
      RESPONSE_TRANSFER_MODE: 'BUFFERED',
      NODE_EXTRA_CA_CERTS: trusted,
      AWS_ENDPOINT_URL_DYNAMODB: replaying.endpoint,
    }
    const start = starter(env, unit)
    const [client, empty] = [start(floors, 'get-item', 200), start(floors, 'empty', 200)]
    const route = { method: 'DELETE', resource: '/saml/{id}', pathParameters: { id: '7' } }
    const list = start(projectRoot, 'list-saml-providers', 200)
    const remove = start(projectRoot, 'delete-saml-provider', 404, route)
    const rows = [
      { what: 'list / SDK client', floor: client, ours: list, target: 1.25 },
      { what: 'remove / SDK client', floor: client, ours: remove, target: 1.3 },
      { what: 'list / empty handler', floor: empty, ours: list },
    ]
    for (const { what, floor, ours, ...goal } of rows) {
      const name = `cold start${callMs > 0 ? `, ${callMs} ms a call` : ''}, ${what}`
      yield { name, unit, ...(await inTurns(rounds, floor, ours)), ...goal }
    }
    replaying.close()
  }
  await close()
}

/** Starts a process that answers one request. @returns milliseconds */
const starter =
  (env: NodeJS.ProcessEnv, unit: 'ms' | 'ms CPU') =>
  (root: string, name: string, expected: number, asked: TestRequest = {}) =>
  async () => {
    const module = join(root, '.build', 'functions', `${name}.mjs`)
    const args = ['--input-type=module', '-e', program, module, JSON.stringify(eventOf(asked))]
    const [status, wallMs, cpuMs] =
      (await run(process.execPath, args, { env })).stdout.trim().split('\n').at(-1)?.split(' ') ?? []
    if (Number(status) !== expected) throw new Error(`${name} answered ${status}`)
    return Number(unit === 'ms' ? wallMs : cpuMs)
  }

/** What the cold start of a list loads: kilobytes by package and by folder of lib/. */
export function reportLoaded(print: (line: string) => void) {
  const kilobytes = new Map<string, number>()
  for (const [path, chars] of loadedModules(join(projectRoot, '.build/functions/list-saml-providers.mjs'))
    .modules) {
    const [part = path] = /(?<=^node_modules\/)(@[^/]+\/)?[^/]+|^lib\/\w+/.exec(path) ?? []
    kilobytes.set(part, (kilobytes.get(part) ?? 0) + chars / 1000)
  }
  for (const [part, size] of [...kilobytes].sort(([, a], [, b]) => b - a).filter(([, size]) => size >= 5))
    print(`${part.padEnd(40)} ${size.toFixed(0).padStart(4)} KB`)
}
