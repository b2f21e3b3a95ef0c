import { delay } from '../../lib/time.ts'
import type { Data } from './open-data.ts'

/** The calls of a table, with at most so many items written per second, without a limit when it is infinite. */
export function atRate(data: Data, perSecond: number): Data {
  const { clock, insert, put, transact } = data
  let freeAtMs = 0
  const paced =
    <T extends readonly unknown[], R>(write: (items: T, signal: AbortSignal) => Promise<R>) =>
    async (items: T, signal: AbortSignal): Promise<R> => {
      const nowMs = clock.nowMs()
      const atMs = Math.max(nowMs, freeAtMs)
      freeAtMs = atMs + (items.length * 1000) / perSecond
      if (atMs > nowMs) await delay(clock, atMs - nowMs, signal)
      return write(items, signal)
    }
  return {
    ...data,
    insert: paced(insert),
    put: paced(put),
    transact: paced(transact),
  }
}
