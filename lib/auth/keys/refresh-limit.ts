import type { Clock } from '../../time.ts'

const burst = 10
const refillMs = 5_000
const sameKidMs = 10_000

/** Says whether a key set may be fetched for a `kid` that is not in it. */
interface RefreshLimit {
  /** Counts as one fetch when it answers yes. */
  admits(kid: string): boolean
  /** The set was fetched for this `kid`, in vain. */
  missed(kid: string): void
}

/** Ten fetches at once and one more every five seconds, and for the same `kid` one in ten seconds. */
export function refreshLimit(clock: Clock): RefreshLimit {
  const missedAtMs = new Map<string, number>()
  let left = burst
  let filledAtMs = clock.nowMs()
  return { admits, missed }

  function admits(kid: string) {
    if (clock.nowMs() - (missedAtMs.get(kid) ?? Number.NEGATIVE_INFINITY) < sameKidMs) return false
    refill()
    if (left < 1) return false
    left--
    return true
  }

  function missed(kid: string) {
    const nowMs = clock.nowMs()
    for (const [each, atMs] of missedAtMs) if (nowMs - atMs >= sameKidMs) missedAtMs.delete(each)
    missedAtMs.set(kid, nowMs)
  }

  function refill() {
    const nowMs = clock.nowMs()
    left = Math.min(burst, left + Math.max(0, nowMs - filledAtMs) / refillMs)
    filledAtMs = nowMs
  }
}
