import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildFunctions } from '../../infra/build.ts'
import { localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { benchTable } from './bench-table.ts'
import { type Figure, inTurns } from './measured.ts'
import type { TestRequest } from '../support/api-request.ts'
import { environment, eventOf } from './one-process.ts'

const run = promisify(execFile)
/** What is built stays out of the tree of sources. */
const floors = join(projectRoot, '.build', 'bench')

/** Imports a module, has it answer an event, and prints the milliseconds since the process began. */
const program = `
const { handler } = await import(process.argv[1])
const { statusCode } = await handler(JSON.parse(process.argv[2]), { getRemainingTimeInMillis: () => 10_000 })
process.stdout.write(statusCode + ' ' + performance.now())
process.exit()
`

/** From the start of a process to its first answer; floors are the SDK's client with one GetItem, and an empty handler. */
export async function* measureColdStart(rounds: number): AsyncGenerator<Figure> {
  const { endpoint, tableName, close } = await benchTable()
  await cp(join(import.meta.dirname, 'cold'), floors, { recursive: true })
  await Promise.all([buildFunctions(), buildFunctions(floors)])
  const env = {
    ...localAwsEnvironment,
    ...environment(tableName),
    RESPONSE_TRANSFER_MODE: 'BUFFERED',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  }
  const start =
    (root: string, name: string, expected: number, asked: TestRequest = {}) =>
    async () => {
      const module = join(root, '.build', 'functions', `${name}.mjs`)
      const args = ['--input-type=module', '-e', program, module, JSON.stringify(eventOf(asked))]
      const [status, ms] =
        (await run(process.execPath, args, { env })).stdout.trim().split('\n').at(-1)?.split(' ') ?? []
      if (Number(status) !== expected) throw new Error(`${name} answered ${status}`)
      return Number(ms)
    }
  const [client, empty] = [start(floors, 'get-item', 200), start(floors, 'empty', 200)]
  const pathParameters = { saml_provider_id: '7' }
  const list = start(projectRoot, 'list-saml-providers', 200)
  const remove = start(projectRoot, 'delete-saml-provider', 404, { method: 'DELETE', pathParameters })
  const unit = 'ms'
  yield { name: 'cold start, list / SDK client', unit, ...(await inTurns(rounds, client, list)), target: 1.1 }
  yield {
    name: 'cold start, remove / SDK client',
    unit,
    ...(await inTurns(rounds, client, remove)),
    target: 1.2,
  }
  yield { name: 'cold start, list / empty handler', unit, ...(await inTurns(rounds, empty, list)) }
  await close()
}
