import { delay } from '../../lib/time.ts'
import type { Data } from './open-data.ts'

/** The calls of a table, with at most so many items written per second. */
export function atRate(data: Data, perSecond: number): Data {
  const { clock, table, sendInserts, transact } = data
  let freeAtMs = 0
  const turn = async (items: number, signal: AbortSignal) => {
    const nowMs = clock.nowMs()
    const atMs = Math.max(nowMs, freeAtMs)
    freeAtMs = atMs + (items * 1000) / perSecond
    await delay(clock, atMs - nowMs, signal)
  }
  return {
    ...data,
    table: {
      ...table,
      async batchPut(items, signal) {
        await turn(items.length, signal)
        await table.batchPut(items, signal)
      },
    },
    async sendInserts(signal, batch, send) {
      await turn(batch.length, signal)
      await sendInserts(signal, batch, send)
    },
    async transact(actions, signal) {
      await turn(actions.length, signal)
      return transact(actions, signal)
    },
  }
}
