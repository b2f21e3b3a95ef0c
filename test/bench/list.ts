import { localAws } from '../../infra/dynamodb/client.ts'
import { openClient } from '../../lib/store/client.ts'
import { providerItem } from '../../lib/store/items.ts'
import { sampleProvider } from '../support/samples.ts'
import { bareCalls, sdkClients } from './bare-calls.ts'
import { benchTable, replayingEngine } from './bench-table.ts'
import { cpuMs, type Figure, inTurnsFor } from './measured.ts'
import { endpoints, eventOf, streaming } from './one-process.ts'

const unit = 'ms CPU'
const goals: Record<string, Record<number, number>> = {
  identity: { 10: 1.5, 100: 1.4, 1000: 1.35 },
  br: { 10: 1.6, 100: 1.6, 1000: 1.6 },
}

/** Lists of some sizes, plain and compressed; the floor is the calls alone, by the SDK's plain client: the Query of all
 * pages beside the caller's GetItem. The same calls by its document client stand beside it. @param ms for each of them */
export async function* measureList(sizes: readonly number[], ms: number): AsyncGenerator<Figure> {
  for (const size of sizes) {
    const { endpoint, tableName, put, close } = await benchTable()
    await put(Array.from({ length: size }, (_, n) => providerItem(sampleProvider(n + 1, n + 1), 0)))
    const replaying = await replayingEngine(endpoint)
    const client = openClient({ endpoint: replaying.endpoint, ...localAws })
    const clients = sdkClients(replaying.endpoint)
    const { list } = endpoints(client, tableName, streaming)
    const times = Math.max(1, Math.round(50 / size))
    // The event is the gateway's work, so it is there before the time is taken.
    const repeated =
      (work: (event: unknown) => Promise<unknown>, coding = 'identity') =>
      async () => {
        const events = Array.from({ length: times }, () => eventOf({}, [['Accept-Encoding', coding]]))
        const all = async () => {
          for (const event of events) await work(event)
        }
        return (await cpuMs(all)) / times
      }
    const floor = repeated(bareCalls(clients, tableName, 'plain').list)
    for (const [coding, { [size]: target }] of Object.entries(goals)) {
      const ours = repeated(list, coding)
      const name = `list ${size}${coding === 'identity' ? '' : `, ${coding}`} / its calls`
      yield { name, unit, ...(await inTurnsFor(ms, floor, ours)), ...(target && { target }) }
    }
    const documents = repeated(bareCalls(clients, tableName, 'document').list)
    yield {
      name: `calls of list ${size}, document client / plain`,
      unit,
      ...(await inTurnsFor(ms, floor, documents)),
    }
    client.destroy()
    clients.plain.destroy()
    replaying.close()
    await close()
  }
}
