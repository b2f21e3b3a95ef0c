import { setInterval } from 'node:timers'
import { getHeapStatistics } from 'node:v8'
import { benchTable } from './bench-table.ts'
import { endpoints } from './one-process.ts'

// Removes one large provider under the heap limit that this process was started with, and says what it took.

const users = Number(process.argv[2])
const bench = await benchTable()
await bench.fill(1, users)
globalThis.gc?.()

let peakHeapBytes = 0
let peakRssBytes = 0
const watch = setInterval(() => {
  const { heapUsed, rss } = process.memoryUsage()
  peakHeapBytes = Math.max(peakHeapBytes, heapUsed)
  peakRssBytes = Math.max(peakRssBytes, rss)
}, 20)

const { remove } = endpoints(bench.client, bench.tableName)
const startMs = performance.now()
const answers: string[] = []
let answer: Awaited<ReturnType<typeof remove>>
do {
  answer = await remove(1, [['Accept-Encoding', 'br']])
  answers.push(
    answer.statusCode === 503 ? `503 at ${JSON.parse(answer.body).unlinked}` : String(answer.statusCode),
  )
} while (answer.statusCode === 503)
const seconds = (performance.now() - startMs) / 1000
const plain = await remove(1)
clearInterval(watch)

const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
process.stdout.write(
  `${users} users: DELETE answered ${answers.join(', ')} (br, ${mb(answer.body.length)} as base64), plain ${plain.statusCode}; ${seconds.toFixed(0)} s; ` +
    `peak heap ${mb(peakHeapBytes)} of ${mb(getHeapStatistics().heap_size_limit)} allowed, resident ${mb(peakRssBytes)}\n`,
)
await bench.close()
