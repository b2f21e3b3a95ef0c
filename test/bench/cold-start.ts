import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../infra/project-root.ts'
import { selfSigned } from '../auth/https-server.ts'
import { benchTable } from './bench-table.ts'
import { type Figure, inTurns } from './measured.ts'
import { builtOf, environment, eventOf, plainRoot } from './services.ts'

const run = promisify(execFile)

/** Imports a module, has it answer an event, and prints the status and the milliseconds of CPU time since the start. */
const program = `
const { handler } = await import(process.argv[1])
const { statusCode } = await handler(JSON.parse(process.argv[2]), { getRemainingTimeInMillis: () => 10_000 })
const { user, system } = process.cpuUsage()
process.stdout.write(statusCode + ' ' + (user + system) / 1000)
process.exit()
`

const cases = [
  { what: 'list', endpoint: 'list-saml-providers', providerId: undefined, expected: 200 },
  { what: 'DELETE', endpoint: 'delete-saml-provider', providerId: 7, expected: 404 },
] as const

/**
 * CPU time from the start of a process to its first answer, over TLS, as in Lambda, with replies from memory: an empty list,
 * and a 404, because a removal cannot be repeated from memory.
 */
export async function* measureColdStart(rounds: number): AsyncGenerator<Figure> {
  const { tableName, memory, close } = await benchTable()
  const certificate = selfSigned()
  const trusted = join(plainRoot, 'certificate.pem')
  await writeFile(trusted, certificate.cert)
  const env = {
    ...environment(tableName, await memory(certificate)),
    RESPONSE_TRANSFER_MODE: 'BUFFERED',
    NODE_EXTRA_CA_CERTS: trusted,
  }
  for (const { what, endpoint, providerId, expected } of cases) {
    const start = (root: string) => async () => {
      const args = [
        '--input-type=module',
        '-e',
        program,
        builtOf(endpoint, root),
        JSON.stringify(eventOf(providerId)),
      ]
      const { stdout } = await run(process.execPath, args, { env })
      const [status, cpuMs] = stdout.trim().split('\n').at(-1)?.split(' ') ?? []
      if (Number(status) !== expected) throw new Error(`${builtOf(endpoint, root)} answered ${status}.`)
      return Number(cpuMs)
    }
    const { ours, plain } = await inTurns(rounds, { ours: start(projectRoot), plain: start(plainRoot) })
    yield { name: `cold start, ${what}`, ours, plain }
  }
  await close()
}
