import { Writable } from 'node:stream'
import { setInterval } from 'node:timers'
import { getHeapStatistics } from 'node:v8'
import { benchTable } from './bench-table.ts'
import { endpoints, streaming } from './one-process.ts'

// Removes one large provider under the heap limit that this process was started with, and says what it took.

const users = Number(process.argv[2])
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
const say = (text: string) => process.stdout.write(`${users} users: ${text}\n`)
const bench = await benchTable()
await bench.fill(1, users)

let peakHeapBytes = 0
let peakRssBytes = 0
const watch = setInterval(() => {
  const { heapUsed, rss } = process.memoryUsage()
  peakHeapBytes = Math.max(peakHeapBytes, heapUsed)
  peakRssBytes = Math.max(peakRssBytes, rss)
}, 20)

/** Receives one streamed answer. */
let sentBytes = 0
let firstByteMs = 0
const openStream = () => {
  sentBytes = 0
  return new Writable({
    write(chunk: Buffer, _, done) {
      if (sentBytes === 0) firstByteMs = performance.now()
      sentBytes += chunk.length
      done()
    },
  })
}
const { remove } = endpoints(bench.client, bench.tableName, { ...streaming, openStream })

const seconds = (fromMs: number, toMs = performance.now()) => `${((toMs - fromMs) / 1000).toFixed(1)} s`
async function measured(coding: string): Promise<number> {
  const startMs = performance.now()
  const { statusCode } = await remove(1, [['Accept-Encoding', coding]])
  say(
    `DELETE, ${coding}: ${statusCode}, first byte after ${seconds(startMs, firstByteMs)}, ${mb(sentBytes)} after ${seconds(startMs)}`,
  )
  return statusCode
}
while ((await measured('br')) === 503);
await measured('identity')
clearInterval(watch)

say(
  `peak heap ${mb(peakHeapBytes)} of ${mb(getHeapStatistics().heap_size_limit)} allowed, resident ${mb(peakRssBytes)}`,
)
await bench.close()
