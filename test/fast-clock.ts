import { type Clock, systemClock } from '../lib/clock.ts'

/** A clock that runs ahead, so that pauses and budgets pass quickly beside a real engine. */
export function fastClock(factor: number): Clock {
  const startMs = systemClock.nowMs()
  const nowMs = () => startMs + (systemClock.nowMs() - startMs) * factor
  return {
    nowMs,
    alarm: (atMs, ring) => systemClock.alarm(systemClock.nowMs() + (atMs - nowMs()) / factor, ring),
  }
}
