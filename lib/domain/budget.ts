/** The time limit of a request. */
export interface TimeBudget {
  /** The applied `wait` in milliseconds; undefined when the request has no valid one. */
  waitMs: number | undefined
  /** When the work must stop so that the answer can be written, in milliseconds since the Unix epoch. */
  deadlineMs: number
}

/**
 * The time budget of a request: the smaller of the requested and the maximum wait, from the moment the gateway received the
 * request, minus the reserve for the answer.
 *
 * @param requestedSeconds seconds ≥ 0, rounded to milliseconds
 * @example
 * timeBudget(0, 10, { maxWaitMs: 28_000, answerReserveMs: 150 }) // { waitMs: 10_000, deadlineMs: 9850 }
 * timeBudget(0, 60, { maxWaitMs: 28_000, answerReserveMs: 150 }) // { waitMs: 28_000, deadlineMs: 27_850 }
 */
export function timeBudget(
  receivedAtMs: number,
  requestedSeconds: number | undefined,
  { maxWaitMs, answerReserveMs }: { maxWaitMs: number; answerReserveMs: number },
): TimeBudget {
  const waitMs =
    requestedSeconds === undefined ? undefined : Math.min(Math.round(requestedSeconds * 1000), maxWaitMs)
  return { waitMs, deadlineMs: receivedAtMs + (waitMs ?? maxWaitMs) - answerReserveMs }
}
