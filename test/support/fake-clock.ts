import type { Clock } from '../../lib/time.ts'

/**
 * A clock that does not depend on the speed of the machine. Its time passes in only two ways:
 *
 * - A test advances it.
 * - While a test awaits `moving(work)`, time jumps to the next scheduled callback when no frozen work is running and
 *   every promise that can settle has settled. A pause takes no real time, and a call to a real engine takes no time
 *   of this clock.
 *
 * Work that waits for anything other than promises and the clock must be frozen: the callbacks of a socket or a thread
 * come at an unknown moment, and time would jump before them.
 */
export interface FakeClock extends Clock {
  /** Advances the time and calls the due callbacks, in order. */
  advance(ms: number): void
  /** Advances the time as if the process had been suspended: callbacks that are due by then are called later. */
  suspend(ms: number): void
  /** Steps the wall clock alone, ahead or back, as an operator or NTP does: no time passes. */
  step(ms: number): void
  /** Lets time jump until this work ends. */
  moving<T>(work: Promise<T>): Promise<T>
  /** Stops time until this work ends. */
  freeze<T>(work: () => Promise<T>): Promise<T>
  /** Lets time jump during this wait, which is part of frozen work. */
  thaw<T>(wait: () => Promise<T>): Promise<T>
  /** The number of scheduled callbacks. */
  scheduled(): number
}

/**
 * @param startMs milliseconds since the Unix epoch
 * @param jumpMaxMs maximum of one jump; later callbacks wait for `advance`
 */
export function fakeClock(startMs = Date.UTC(2026, 0, 31), jumpMaxMs = Number.POSITIVE_INFINITY): FakeClock {
  const scheduled = new Set<{ dueMs: number; callback: () => void }>()
  const inOrder = () => [...scheduled].sort((a, b) => a.dueMs - b.dueMs)
  const running = { moving: 0, frozen: 0 }
  let elapsedMs = 0
  let steppedMs = 0
  let isJumpPlanned = false
  const nowMs = () => startMs + elapsedMs + steppedMs

  function advance(ms: number) {
    elapsedMs += ms
    for (const entry of inOrder()) {
      if (entry.dueMs > elapsedMs || !scheduled.delete(entry)) continue
      entry.callback()
    }
  }

  /** Jumps in an immediate, which runs after all promises that can settle. The callbacks may create more promises. */
  function planJump() {
    if (isJumpPlanned || running.moving === 0) return
    isJumpPlanned = true
    setImmediate(() => {
      isJumpPlanned = false
      const next = inOrder()[0]
      if (next === undefined || running.moving === 0 || running.frozen > 0) return
      const aheadMs = Math.max(0, next.dueMs - elapsedMs)
      if (aheadMs > jumpMaxMs) return
      advance(aheadMs)
      planJump()
    })
  }

  async function counted<T>(kind: keyof typeof running, by: 1 | -1, work: () => Promise<T>): Promise<T> {
    running[kind] += by
    planJump()
    try {
      return await work()
    } finally {
      running[kind] -= by
      planJump()
    }
  }

  return {
    nowMs,
    elapsedMs: () => elapsedMs,
    schedule(atMs, callback) {
      const entry = { dueMs: elapsedMs + atMs - nowMs(), callback }
      scheduled.add(entry)
      planJump()
      return () => scheduled.delete(entry)
    },
    advance,
    suspend(ms) {
      elapsedMs += ms
    },
    step(ms) {
      steppedMs += ms
    },
    moving: work => counted('moving', 1, () => work),
    freeze: work => counted('frozen', 1, work),
    thaw: wait => counted('frozen', -1, wait),
    scheduled: () => scheduled.size,
  }
}
