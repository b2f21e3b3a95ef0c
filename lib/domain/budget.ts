/** The time a request may take. */
export interface Grant {
  /** Milliseconds of the caller's own `wait` that are granted; undefined when none was understood. */
  waitMs: number | undefined
  /** When the work must stop, so that the answer can still be written; milliseconds since the Unix epoch. */
  deadlineMs: number
}

/**
 * The smaller of the caller's wish and the cap, from the moment the gateway got the request, less what the answer takes.
 *
 * @param requestedSeconds seconds ≥ 0, taken to the millisecond
 */
export function timeBudget(
  receivedAtMs: number,
  requestedSeconds: number | undefined,
  { maxWaitMs, answerReserveMs }: { maxWaitMs: number; answerReserveMs: number },
): Grant {
  const waitMs =
    requestedSeconds === undefined ? undefined : Math.min(Math.round(requestedSeconds * 1000), maxWaitMs)
  return { waitMs, deadlineMs: receivedAtMs + (waitMs ?? maxWaitMs) - answerReserveMs }
}
