import { type Clock, delay } from '../time.ts'

/** The speed of one kind of batches, in items per second of all batches together. */
export interface Pace {
  /** Waits until so many items may be sent. @throws the signal's reason */
  turn(items: number, signal: AbortSignal): Promise<void>
  /** Called when a batch is sent. @returns the function to call with the numbers of its processed and unprocessed items */
  sending(): (processed: number, unprocessed: number) => void
  /** The number of items processed so far. */
  processed(): number
}

/** With the growth, this makes about 45 throttled items per second, at any speed. */
const slowdownPerItem = 0.995
const growthPerSecond = 1.25
/** A turn lasts less than a second even for the largest batch: a pace outlives the request that slowed it down. */
const leastShare = 1 / 25

/**
 * A pace without a limit until a batch is throttled. It is then `firstPerSecond`, falls by half a percent with each throttled
 * item, and grows by a quarter per second. Of batches that are in flight at the same time, only one makes it fall.
 */
export function adaptivePace(clock: Clock, firstPerSecond: number): Pace {
  let perSecond = Number.POSITIVE_INFINITY
  let slowdowns = 0
  let slowedAtMs = 0
  let nextAtMs = 0
  let processedItems = 0
  const perSecondNow = () => perSecond * growthPerSecond ** ((clock.nowMs() - slowedAtMs) / 1000)

  return {
    async turn(items, signal) {
      // Only the batch whose turn it is changes the pace's state: one that is aborted leaves nothing behind.
      while (clock.nowMs() < nextAtMs) await delay(clock, nextAtMs - clock.nowMs(), signal)
      nextAtMs = clock.nowMs() + (items * 1000) / perSecondNow()
    },
    sending() {
      const slowdownsBefore = slowdowns
      return (processed, unprocessed) => {
        processedItems += processed
        if (unprocessed === 0 || slowdowns > slowdownsBefore) return
        const slower = slowdowns === 0 ? firstPerSecond : perSecondNow() * slowdownPerItem ** unprocessed
        perSecond = Math.max(firstPerSecond * leastShare, slower)
        slowdowns += 1
        slowedAtMs = clock.nowMs()
      }
    },
    processed: () => processedItems,
  }
}
