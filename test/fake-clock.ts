import type { Clock } from '../lib/clock.ts'

export interface FakeClock extends Clock {
  /** Moves time on and rings what is due, in order. */
  advance(ms: number): void
  /** How many alarms are set: 0 when nothing was left behind. */
  alarms(): number
}

export function fakeClock(nowMs = Date.UTC(2026, 0, 31)): FakeClock {
  const set = new Set<{ atMs: number; ring: () => void }>()
  return {
    nowMs: () => nowMs,
    alarm(atMs, ring) {
      const alarm = { atMs, ring }
      set.add(alarm)
      return () => set.delete(alarm)
    },
    advance(ms) {
      nowMs += ms
      for (const alarm of [...set].sort((a, b) => a.atMs - b.atMs)) {
        if (alarm.atMs > nowMs || !set.delete(alarm)) continue
        alarm.ring()
      }
    },
    alarms: () => set.size,
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
