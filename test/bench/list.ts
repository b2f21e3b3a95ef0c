import { localAws } from '../../infra/dynamodb/client.ts'
import { openClient } from '../../lib/store/client.ts'
import { providerItem } from '../../lib/store/items.ts'
import { sampleProvider } from '../support/samples.ts'
import { bareCalls, dialects } from './bare-calls.ts'
import { benchTable, replayingEngine } from './bench-table.ts'
import { cpuMs, type Figure, inTurnsFor } from './measured.ts'
import { endpoints, streaming } from './one-process.ts'

const unit = 'ms CPU'
const goals: Record<number, number> = { 10: 1.35, 100: 1.3 }
const compressedGoal = 1.5

/** Lists of some sizes, plain and compressed; the floor is the calls alone, by the plain client: the Query of all pages
 * beside the caller's GetItem. The same calls by the document client stand beside it. @param ms for each of them */
export async function* measureList(sizes: readonly number[], ms: number): AsyncGenerator<Figure> {
  for (const size of sizes) {
    const { endpoint, tableName, put, close } = await benchTable()
    await put(Array.from({ length: size }, (_, n) => providerItem(sampleProvider(n + 1, n + 1), 0)))
    const replaying = await replayingEngine(endpoint)
    const client = openClient({ endpoint: replaying.endpoint, ...localAws })
    const { list } = endpoints(client, tableName, streaming)
    const times = Math.max(1, Math.round(50 / size))
    const repeated = (work: () => Promise<unknown>) => async () => {
      const all = async () => {
        for (let n = 0; n < times; n++) await work()
      }
      return (await cpuMs(all)) / times
    }
    const floor = repeated(bareCalls(client, tableName, dialects.plain).list)
    const documents = repeated(bareCalls(client, tableName, dialects.document).list)
    yield {
      name: `calls of list ${size}, document client / plain`,
      unit,
      ...(await inTurnsFor(ms, floor, documents)),
    }
    for (const coding of ['identity', 'gzip', 'br']) {
      const ours = repeated(() => list([['Accept-Encoding', coding]]))
      const samples = await inTurnsFor(ms, floor, ours)
      const target = coding === 'identity' ? (goals[size] ?? 1.2) : compressedGoal
      yield { name: `list ${size}, ${coding} / its calls`, unit, ...samples, target }
    }
    client.destroy()
    replaying.close()
    await close()
  }
}
