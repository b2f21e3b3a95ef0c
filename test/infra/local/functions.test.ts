import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { localAwsEnvironment } from '../../../infra/dynamodb/client.ts'
import { close, listen } from '../../../infra/listen.ts'
import { apart } from '../../../infra/local/functions/apart.ts'
import { loadFunctions } from '../../../infra/local/functions/functions.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { runOnSchedule } from '../../../infra/local/schedule.ts'
import { type DeployedFunction, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import { localSettings } from '../../../infra/serverless/settings.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// test/infra/commands/start.test.ts has their variables, their log and their errors.

/** A table without items, whose answers can be held back. */
async function emptyTable() {
  const released = Promise.withResolvers<void>()
  const connections = new Set<Socket>()
  const seen = { isHeld: false, heldCalls: 0, connections: 0 }
  const server = createServer(async (_, response) => {
    if (seen.isHeld) {
      seen.heldCalls++
      await released.promise
    }
    response.end('{"Items":[],"Count":0}')
  })
  server.keepAliveTimeout = 0 // only the functions close a connection
  server.on('connection', (socket: Socket) => {
    seen.connections++
    connections.add(socket.on('close', () => connections.delete(socket)))
  })
  onTestFinished(() => close(server))
  return { url: `http://127.0.0.1:${await listen(server, 0)}`, connections, seen, release: released.resolve }
}

/** Waits until it is so, for as long as the test may take. */
async function until(isSo: () => boolean) {
  while (!isSo()) await setImmediate()
}

test('retired functions end after their running calls: no connection and no file of theirs stays', async () => {
  const { url, connections, seen, release } = await emptyTable()
  const { environment } = await localSettings({
    issuers: (await openIssuer()).trust,
    tableName: 'some-table',
  })
  const variables = { ...environment, ...localAwsEnvironment, AWS_ENDPOINT_URL_DYNAMODB: url }
  const folder = temporaryFolder()
  const { invoke, retire, end } = await loadFunctions({ folder, variables, output: () => {} })
  onTestFinished(end)
  const deployed = scheduledFunctions[0] as DeployedFunction
  seen.isHeld = true
  const run = invoke({ deployed, event: {}, requestId: 'run-1', timeoutMs: 30_000 })
  await until(() => seen.heldCalls > 0)
  const before = seen.connections
  retire()
  release()
  await run
  expect(seen.connections).toBe(before) // no connection was closed under the run
  await until(() => connections.size === 0 && readdirSync(folder).length === 0)
})

test('functions have no timer any more after their end, and those of another build stay', async () => {
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

test('a scheduled function runs after each interval, one run at a time, and none after the stop', async () => {
  const clock = fakeClock()
  const runs: PromiseWithResolvers<never>[] = []
  const lines: string[] = []
  const invoke = () => {
    const run = Promise.withResolvers<never>()
    runs.push(run)
    return run.promise
  }
  const everyMs = 60_000
  const stop = runOnSchedule(invoke, { everyMs, timeoutMs: 50_000 }, clock, line => lines.push(line))
  const runsAfter = async (ms: number) => {
    await setImmediate() // promises settle first
    clock.advance(ms)
    await setImmediate()
    return runs.length
  }
  expect(await runsAfter(everyMs - 1)).toBe(0)
  expect(await runsAfter(1)).toBe(1)
  expect(await runsAfter(10 * everyMs)).toBe(1)
  runs[0]?.reject(new Error('the table is gone'))
  expect(await runsAfter(everyMs)).toBe(2)
  expect(lines).toEqual([expect.stringContaining('finishRemovals: the table is gone')])
  stop()
  runs[1]?.resolve({} as never)
  expect(await runsAfter(everyMs)).toBe(2)
  expect(clock.scheduled()).toBe(0)
})
