import { type Clock, systemClock } from '../../lib/time.ts'

/** A clock that runs ahead, so that pauses and budgets pass quickly beside a real engine. */
export function fastClock(factor: number): Clock {
  const startMs = systemClock.nowMs()
  const nowMs = () => startMs + (systemClock.nowMs() - startMs) * factor
  return {
    nowMs,
    schedule: (atMs, callback) =>
      systemClock.schedule(systemClock.nowMs() + (atMs - nowMs()) / factor, callback),
  }
}
