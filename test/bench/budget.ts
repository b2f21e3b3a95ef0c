import { setImmediate as nextTurn } from 'node:timers/promises'
import { localAws } from '../../infra/dynamodb/client.ts'
import { openClient } from '../../lib/store/client.ts'
import { benchTable } from './bench-table.ts'
import { endpoints } from './one-process.ts'
import { type Stall, stallingEngine } from './stalling-engine.ts'

const waitSeconds = 2
const tries = 100
const atOnce = 20
/** By the number of calls that are let through: provider and caller, tombstone, memberships, unlinking. */
const stops: [string, number][] = [
  ['at the first reads', 0],
  ['at the tombstone', 2],
  ['while unlinking', 4],
]
const stalls: Stall[] = ['says nothing', 'sends headers and no body', 'sends a byte a second']

/** `wait=2` against an engine that stalls for ever: how many answers are there in time, and what is left running. */
export async function reportBudget(print: (line: string) => void) {
  const bench = await benchTable()
  let providerId = 1
  for (const stall of stalls) {
    for (const [where, letThrough] of stops) {
      const tookMs: number[] = []
      const codes = new Set<string>()
      let leftRunning = 0
      for (let done = 0; done < tries / stops.length; done += atOnce) {
        const providers = Array.from({ length: atOnce }, () => providerId++)
        for (const id of providers) await bench.fill(id, 30)
        const before = process.getActiveResourcesInfo().length
        await Promise.all(
          providers.map(async id => {
            const engine = await stallingEngine(bench.endpoint, stall, letThrough)
            const { ms, code, left } = await oneDelete(id, engine.endpoint, bench.tableName)
            tookMs.push(ms)
            codes.add(code)
            leftRunning += left
            await engine.close()
          }),
        )
        await new Promise(resolve => setTimeout(resolve, 50))
        leftRunning += Math.max(0, process.getActiveResourcesInfo().length - before)
      }
      const inTime = tookMs.filter(ms => ms <= waitSeconds * 1000).length
      print(
        `${`engine ${stall}, ${where}`.padEnd(48)} ${inTime} of ${tookMs.length} answers within ${waitSeconds} s, slowest ${Math.max(...tookMs).toFixed(0)} ms, ${[...codes]}; left running: ${leftRunning}`,
      )
    }
  }
  await bench.close()
}

async function oneDelete(providerId: number, endpoint: string, tableName: string) {
  const client = openClient({ endpoint, ...localAws })
  let open = 0
  client.middlewareStack.add(
    next => async args => {
      open += 1
      try {
        return await next(args)
      } finally {
        open -= 1
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'countOpen' },
  )
  const { remove } = endpoints(client, tableName)
  const startMs = performance.now()
  const { body } = await remove(providerId, [['Prefer', `wait=${waitSeconds}`]])
  const ms = performance.now() - startMs
  await nextTurn() // calls that the answer has aborted end in this turn
  const left = open
  client.destroy()
  return { ms, code: JSON.parse(body).code as string, left }
}
