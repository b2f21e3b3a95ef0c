import type { Clock } from '../../lib/time.ts'

export interface FakeClock extends Clock {
  /** Moves time on and calls what is due, in order. */
  advance(ms: number): void
  /** How many callbacks are scheduled: 0 when nothing was left behind. */
  scheduled(): number
}

export function fakeClock(nowMs = Date.UTC(2026, 0, 31)): FakeClock {
  const scheduled = new Set<{ atMs: number; callback: () => void }>()
  return {
    nowMs: () => nowMs,
    schedule(atMs, callback) {
      const entry = { atMs, callback }
      scheduled.add(entry)
      return () => scheduled.delete(entry)
    },
    advance(ms) {
      nowMs += ms
      for (const entry of [...scheduled].sort((a, b) => a.atMs - b.atMs)) {
        if (entry.atMs > nowMs || !scheduled.delete(entry)) continue
        entry.callback()
      }
    },
    scheduled: () => scheduled.size,
  }
}

/** Lets time pass for as long as the work needs it: a step with every real millisecond. */
export async function moving<T>(clock: FakeClock, work: Promise<T>, stepMs = 1000): Promise<T> {
  let over = false
  const end = () => {
    over = true
  }
  work.then(end, end)
  while (!over) {
    clock.advance(stepMs)
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  return work
}
