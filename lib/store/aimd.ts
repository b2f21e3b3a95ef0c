import { abortable, type Clock, delay } from '../time.ts'

/** What became of the items of a batch. */
interface Outcome {
  processed: number
  /** How many DynamoDB refused because they were too many per second. */
  throttled: number
  /** Whether DynamoDB did not answer in time. */
  hasTimedOut: boolean
}

/** Growth and slowdown are equal at about 50 throttled items per second, at any speed. */
const growthPerItem = 0.25
const slowdownPerItem = 0.995
const leastPerSecond = 1
/** A batch has at most as many items as are sent in this time, so that no turn lasts longer. */
const turnMaxMs = 1000
/** A speed that was not used for so long says nothing about the next removal. */
const forgottenAfterMs = 10_000
const noLimit = Number.POSITIVE_INFINITY

/**
 * How many items one kind of batches sends per second, and how many batches at once, all of them together: by additive
 * increase and multiplicative decrease, without a limit until DynamoDB sets one.
 *
 * Items per second: `firstPerSecond` when the first item is throttled. Each throttled item makes it half a percent less; each
 * item that waited for its turn adds 0.25, so that it grows by a quarter per second while it is in use. Batches at once: a
 * time-out halves them, down to one; each answered batch adds its share of one. Of batches that are in flight at the same
 * time, only one decreases each.
 *
 * @see Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance", 1989; RFC 5681 §3.1
 */
export function aimdPace(clock: Clock, firstPerSecond: number) {
  let perSecond = noLimit
  let atOnceMax = noLimit
  let inFlight = 0
  let decreases = 0
  let nextAtMs = 0
  let left = Promise.withResolvers<void>()
  const waitMs = () => nextAtMs - clock.nowMs()

  return {
    /**
     * Waits until a batch may be sent.
     *
     * @param items how many it has, ≥ 1
     * @param hasPaused whether it is a repetition after a pause, which replaces its turn
     * @returns how many of them may be sent now, ≥ 1; `end` must be called with the outcome
     * @throws the signal's reason
     */
    async begin(items: number, hasPaused: boolean, signal: AbortSignal) {
      if (inFlight === 0 && waitMs() < -forgottenAfterMs) perSecond = atOnceMax = noLimit
      while (inFlight >= Math.floor(atOnceMax)) await abortable(left.promise, signal)
      inFlight += 1
      try {
        const hasWaited = !hasPaused && (await turn(items, signal))
        return { items: mostNow(items), end: ending(hasWaited) }
      } catch (error) {
        leave()
        throw error
      }
    },
  }

  function leave() {
    inFlight -= 1
    left.resolve()
    left = Promise.withResolvers()
  }

  /** How many of the items may be sent at once. */
  function mostNow(items: number) {
    return Math.min(items, Math.floor((perSecond * turnMaxMs) / 1000))
  }

  /** @returns whether the batches before left no time at once */
  async function turn(items: number, signal: AbortSignal) {
    let hasWaited = false
    // A longer wait means that the clock was set back; sums of fractions may be a little longer.
    for (let ms = waitMs(); ms > 0 && ms <= turnMaxMs + 1; ms = waitMs()) {
      await delay(clock, ms, signal)
      hasWaited = true
    }
    // Nothing is awaited from here on: the next batch must see this one's turn.
    nextAtMs = clock.nowMs() + (mostNow(items) * 1000) / perSecond
    return hasWaited
  }

  function ending(hasWaited: boolean) {
    const decreasesBefore = decreases
    return ({ processed, throttled, hasTimedOut }: Outcome) => {
      // A batch of which nothing is processed is no sign for growth.
      if (hasWaited && processed > 0) perSecond += growthPerItem * (processed + throttled)
      const isFirst = decreases === decreasesBefore
      if (isFirst && throttled > 0) {
        const slower = perSecond === noLimit ? firstPerSecond : perSecond * slowdownPerItem ** throttled
        perSecond = Math.max(leastPerSecond, slower)
      }
      if (isFirst && hasTimedOut) atOnceMax = Math.max(1, inFlight / 2)
      if (throttled > 0 || hasTimedOut) {
        decreases += isFirst ? 1 : 0
        // The reply may come more than ten seconds after the last turn: its decrease must not be forgotten at the next one.
        nextAtMs = Math.max(nextAtMs, clock.nowMs())
      } else atOnceMax += 1 / atOnceMax
      leave()
    }
  }
}
