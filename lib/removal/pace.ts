import type { Unlinked } from './ports.ts'

/** How fast an attempt goes. */
export interface Pace {
  /** The members of the next transaction. */
  groupSize: number
  /** The pause before the next round. */
  pauseMs: number
}

/** DynamoDB allows 100 actions in a transaction: one for the provider, and two for each member. */
const membersMax = 49
const firstPauseMs = 100
const longestPauseMs = 1000

/** The pace at which an attempt begins. */
export const fullPace = (): Pace => ({ groupSize: membersMax, pauseMs: firstPauseMs })

/** A group that was too large makes the next ones half as large; one of whom nobody is left out, one member larger. */
export function adaptGroupSize(pace: Pace, groupSize: number, { isTooLarge, refusal }: Unlinked) {
  if (isTooLarge) pace.groupSize = Math.ceil(groupSize / 2)
  else if (refusal === undefined) pace.groupSize = Math.min(pace.groupSize + 1, membersMax)
}

/** After a round that has unlinked nobody the pauses are twice as long. */
export function lengthenPause(pace: Pace) {
  pace.pauseMs = Math.min(pace.pauseMs * 2, longestPauseMs)
}
