import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { localAwsEnvironment } from '../../../infra/dynamodb/client.ts'
import { close, listen } from '../../../infra/listen.ts'
import { apart } from '../../../infra/local/functions/apart.ts'
import { loadFunctions } from '../../../infra/local/functions/functions.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import {
  type DeployedFunction,
  routes,
  scheduledFunctions,
} from '../../../infra/serverless/service-definition.ts'
import { localSettings } from '../../../infra/serverless/settings.ts'
import { apiRequest } from '../../support/api-request.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const issuers = (await openIssuer()).trust
const list = routes.find(({ method }) => method === 'get')
const [finish] = scheduledFunctions

/** A table without items, whose answers can be held back. */
async function emptyTable() {
  const open = new Set<Socket>()
  const held: (() => void)[] = []
  let isHeld = false
  const server = createServer((_, response) => {
    const answer = () => response.end('{"Items":[],"Count":0}')
    if (isHeld) held.push(answer)
    else answer()
  })
  server.keepAliveTimeout = 0 // only the functions close a connection
  let opened = 0
  server.on('connection', (socket: Socket) => {
    opened += 1
    open.add(socket.on('close', () => open.delete(socket)))
  })
  onTestFinished(() => close(server))
  return {
    url: `http://127.0.0.1:${await listen(server, 0)}`,
    connections: () => open.size,
    opened: () => opened,
    held,
    hold: () => {
      isHeld = true
    },
    release: () => {
      isHeld = false
      for (const answer of held) answer()
    },
  }
}

async function loaded() {
  const table = await emptyTable()
  const { environment } = await localSettings({ issuers, tableName: 'some-table' })
  const folder = temporaryFolder()
  let printed = ''
  const functions = await loadFunctions({
    folder,
    variables: { ...environment, ...localAwsEnvironment, AWS_ENDPOINT_URL_DYNAMODB: table.url },
    output: text => {
      printed += text
    },
  })
  onTestFinished(functions.end)
  const call = async (deployed: DeployedFunction | undefined, event: object = {}) =>
    functions.invoke({ deployed: deployed as DeployedFunction, event, requestId: 'run-1', timeoutMs: 30_000 })
  return {
    ...functions,
    ...table,
    folder,
    printed: () => printed,
    async list() {
      const event = apiRequest({ method: 'GET', resource: '/api/v2/saml', headers: [] }, Date.now())
      const answer = await call(list, event)
      return { ...answer, body: await text(answer.body as Readable) }
    },
    finish: () => call(finish),
  }
}

/** Waits until it is so, for as long as the test may take. */
async function until(isSo: () => boolean) {
  while (!isSo()) await setImmediate()
}

describe('the functions in the process of the stack', () => {
  test('have the given variables and no others, and write their log to the output', async () => {
    vi.stubEnv('SUNSET_AT', 'no time')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { list, printed } = await loaded()
    expect(process.env.SUNSET_AT).toBe('no time')
    const { statusCode, body } = await list()
    expect(statusCode).toBe(401)
    // A slow machine logs before that the warm-up took too long.
    const answered = () =>
      printed()
        .split('\n')
        .find(line => line.includes('"request_answered"'))
    await until(() => answered() !== undefined)
    expect(JSON.parse(answered() ?? '')).toHaveProperty('request_id', JSON.parse(body).request_id)
  })

  test('end after the running calls when they are retired: no connection and no file of theirs stays', async () => {
    const { finish, hold, held, release, retire, connections, opened, folder } = await loaded()
    expect(readdirSync(folder)).toHaveLength(1)
    hold()
    const run = finish()
    await until(() => held.length > 0)
    const before = opened()
    retire()
    release()
    await run
    expect(opened()).toBe(before) // no connection was closed under the run
    await until(() => connections() === 0 && readdirSync(folder).length === 0)
  })

  test('have no timer any more after their end, and those of another build stay', async () => {
    const ticks = { ended: 0, other: 0, stack: 0 }
    const tick = (of: keyof typeof ticks) => setInterval(() => void ticks[of]++, 1)
    const [ended, other] = [apart(() => {}), apart(() => {})]
    onTestFinished(other.end)
    ended.run(() => tick('ended'))
    other.run(() => tick('other'))
    const timer = tick('stack')
    onTestFinished(() => clearInterval(timer))
    await until(() => ticks.ended > 0)
    ended.end()
    const before = { ...ticks }
    await until(() => ticks.other > before.other + 5 && ticks.stack > before.stack + 5)
    expect(ticks.ended).toBe(before.ended)
  })
})
