import { type Clock, delay } from '../time.ts'

/** The speed of one kind of batches, in items per second of all batches together. */
export interface Pace {
  /** Waits until so many items may be sent. @throws the signal's reason */
  turn(items: number, signal: AbortSignal): Promise<void>
  /** Called when a batch is sent. @returns the function to call with the numbers of its processed and throttled items */
  sending(): (processed: number, throttled: number) => void
  /** The number of items processed so far. */
  processed(): number
}

/** Growth and slowdown are equal at about 44 throttled items per second, at any speed. */
const growthPerItem = 0.22
const slowdownPerItem = 0.995
/** The share of the first speed that is always left: a turn lasts less than a second even for the largest batch. */
const leastShare = 1 / 25
const turnMaxMs = 1000
/** A speed that was not used for so long says nothing about the next removal. */
const forgottenAfterMs = 10_000
const noLimit = Number.POSITIVE_INFINITY

/**
 * A pace without a limit until an item is throttled. It is then `firstPerSecond`, falls by half a percent with each throttled
 * item, and grows by 0.22 with each item that waited for its turn: by a quarter per second while it is in use. Of batches that
 * are in flight at the same time, only one makes it fall.
 */
export function adaptivePace(clock: Clock, firstPerSecond: number): Pace {
  let perSecond = noLimit
  let slowdowns = 0
  let nextAtMs = 0
  let processedItems = 0
  const waitMs = () => nextAtMs - clock.nowMs()

  return {
    async turn(items, signal) {
      signal.throwIfAborted()
      if (waitMs() < -forgottenAfterMs) perSecond = noLimit
      let hasWaited = false
      // A longer wait means that the clock was set back.
      for (let ms = waitMs(); ms > 0 && ms <= turnMaxMs; ms = waitMs()) {
        await delay(clock, ms, signal)
        hasWaited = true
      }
      // Only the batch whose turn it is changes the state: one that is aborted leaves nothing behind.
      if (hasWaited) perSecond += growthPerItem * items
      nextAtMs = clock.nowMs() + (items * 1000) / perSecond
    },
    sending() {
      const slowdownsBefore = slowdowns
      return (processed, throttled) => {
        processedItems += processed
        if (throttled === 0 || slowdowns > slowdownsBefore) return
        const slower = perSecond === noLimit ? firstPerSecond : perSecond * slowdownPerItem ** throttled
        perSecond = Math.max(firstPerSecond * leastShare, slower)
        slowdowns += 1
        // A reply may come more than ten seconds after the last turn: its slowdown must not be forgotten at the next one.
        nextAtMs = Math.max(nextAtMs, clock.nowMs())
      }
    },
    processed: () => processedItems,
  }
}
