import type { Clock } from '../../lib/time.ts'

/**
 * A clock on which the speed of the machine has no influence. Its time stands still, but for two ways to pass:
 *
 * - A test advances it.
 * - While a test awaits `moving(work)`, time jumps to the next scheduled callback as soon as nothing else can happen:
 *   no frozen work is under way, and every promise that could settle has settled. So a pause costs no real time, and a
 *   call to a real engine takes no time of this clock, however slow the engine is.
 *
 * Work that waits for anything but promises and the clock must be frozen: the callbacks of a socket or of a thread
 * come at an unknown moment, and time would run away meanwhile.
 */
export interface FakeClock extends Clock {
  /** Moves time on and calls what is due, in order. */
  advance(ms: number): void
  /** Lets time pass while this work needs it. */
  moving<T>(work: Promise<T>): Promise<T>
  /** Holds time still until this work is over. */
  freeze<T>(work: () => Promise<T>): Promise<T>
  /** Lets time pass in spite of the frozen work around this wait. */
  thaw<T>(wait: () => Promise<T>): Promise<T>
  /** How many callbacks are scheduled: 0 when nothing was left behind. */
  scheduled(): number
}

/**
 * @param startMs milliseconds since the Unix epoch
 * @param jumpMaxMs how far time may jump at once; what is scheduled later waits for `advance`
 */
export function fakeClock(startMs = Date.UTC(2026, 0, 31), jumpMaxMs = Number.POSITIVE_INFINITY): FakeClock {
  const scheduled = new Set<{ atMs: number; callback: () => void }>()
  const inOrder = () => [...scheduled].sort((a, b) => a.atMs - b.atMs)
  const underWay = { moving: 0, frozen: 0 }
  let nowMs = startMs
  let isJumpPlanned = false

  function advance(ms: number) {
    nowMs += ms
    for (const entry of inOrder()) {
      if (entry.atMs > nowMs || !scheduled.delete(entry)) continue
      entry.callback()
    }
  }

  /** An immediate runs after all promises that can settle; what is called then may make more of them. */
  function planJump() {
    if (isJumpPlanned || underWay.moving === 0) return
    isJumpPlanned = true
    setImmediate(() => {
      isJumpPlanned = false
      const next = inOrder()[0]
      if (next === undefined || underWay.moving === 0 || underWay.frozen > 0) return
      const aheadMs = Math.max(0, next.atMs - nowMs)
      if (aheadMs > jumpMaxMs) return
      advance(aheadMs)
      planJump()
    })
  }

  async function counted<T>(kind: keyof typeof underWay, by: 1 | -1, work: () => Promise<T>): Promise<T> {
    underWay[kind] += by
    planJump()
    try {
      return await work()
    } finally {
      underWay[kind] -= by
      planJump()
    }
  }

  return {
    nowMs: () => nowMs,
    schedule(atMs, callback) {
      const entry = { atMs, callback }
      scheduled.add(entry)
      planJump()
      return () => scheduled.delete(entry)
    },
    advance,
    moving: work => counted('moving', 1, () => work),
    freeze: work => counted('frozen', 1, work),
    thaw: wait => counted('frozen', -1, wait),
    scheduled: () => scheduled.size,
  }
}
