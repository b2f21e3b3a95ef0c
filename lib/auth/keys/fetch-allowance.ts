import type { Clock } from '../../time.ts'

const capacityMs = 5_000
const leastCostMs = 500
/** The allowance grows by a tenth of the time that passes. */
const refillShare = 0.1

/**
 * The time that fetching keys for unknown `kid`s may take, as a token bucket. It limits these fetches to ten at once and then
 * one in five seconds. A fetch that takes longer than half a second counts as more than one, so that waiting for them takes a
 * tenth of the time at most.
 */
export function fetchAllowance(clock: Clock) {
  let leftMs = capacityMs
  let filledAtMs = clock.nowMs()
  return { admits, charge }

  /** Whether a fetch may be started. */
  function admits(): boolean {
    const nowMs = clock.nowMs()
    leftMs = Math.min(capacityMs, leftMs + Math.max(0, nowMs - filledAtMs) * refillShare)
    filledAtMs = nowMs
    return leftMs >= leastCostMs
  }

  /** Waits for a fetch, and subtracts the time it took, half a second at least. */
  async function charge(fetch: Promise<void>) {
    const startedAtMs = clock.nowMs()
    try {
      await fetch
    } finally {
      leftMs -= Math.max(leastCostMs, clock.nowMs() - startedAtMs)
    }
  }
}
