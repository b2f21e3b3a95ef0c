import type { Unlinked } from './ports.ts'

/** How fast an attempt goes. */
export interface Pace {
  /** The members of the next transaction. */
  groupSize: number
  /** How many it may have at most in this round. */
  groupSizeMax: number
  /** The pause before the next round. */
  pauseMs: number
}

/** DynamoDB allows 100 actions in a transaction: one for the provider, and two for each member. */
const membersMax = 49
const pauseMinMs = 100
const pauseMaxMs = 1000

/** The pace at which an attempt begins. */
export const fullPace = (): Pace => ({
  groupSize: membersMax,
  groupSizeMax: membersMax,
  pauseMs: pauseMinMs,
})

/** Throttling in a part of a group halves the next ones; each group of whom nobody is left out makes them one larger. */
export function adaptGroupSize(pace: Pace, { isThrottledInPart, refusal }: Unlinked) {
  if (isThrottledInPart) pace.groupSize = Math.ceil(pace.groupSize / 2)
  else if (refusal === undefined) pace.groupSize = Math.min(pace.groupSize + 1, pace.groupSizeMax)
}

/** A round that has unlinked nobody is followed by longer pauses, and by one of groups of 7, then by one of each alone. */
export function slowDown(pace: Pace) {
  pace.groupSizeMax = Math.ceil(pace.groupSizeMax / 7)
  pace.groupSize = Math.min(pace.groupSize, pace.groupSizeMax)
  pace.pauseMs = Math.min(pace.pauseMs * 2, pauseMaxMs)
}
