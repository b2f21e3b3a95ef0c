/** Lambda ends the start of an environment after 10 s, so a longer time before a function is a difference of clocks. */
const startMaxMs = 10_000

/**
 * When the gateway received a request, by the function's clock: unless the function began 0 to 10 s later, the clocks
 * differ, and the time before it counts as 0.
 *
 * @param gatewayMs the moment by the gateway's clock, in milliseconds since the Unix epoch
 * @param beganAtMs when the function began, by its own clock
 * @example
 * receivedAt(5000, 15_000) // 5000
 * receivedAt(5000, 15_001) // 15_001
 * receivedAt(5000, 4999) // 4999
 */
export function receivedAt(gatewayMs: number, beganAtMs: number): number {
  const beforeMs = beganAtMs - gatewayMs
  return beforeMs >= 0 && beforeMs <= startMaxMs ? gatewayMs : beganAtMs
}

/**
 * The time budget of a request: the smaller of the requested and the maximum wait, from the moment the gateway received the
 * request, minus the reserve for the answer.
 *
 * @param requestedSeconds seconds ≥ 0, rounded to milliseconds
 * @returns the applied wait, undefined when none is requested, and the time at which the work must stop so that the answer
 *   can be written, in milliseconds since the Unix epoch
 * @example
 * timeBudget(0, 10, { maxWaitMs: 28_000, answerReserveMs: 150 }) // { waitMs: 10_000, deadlineMs: 9850 }
 * timeBudget(0, 60, { maxWaitMs: 28_000, answerReserveMs: 150 }) // { waitMs: 28_000, deadlineMs: 27_850 }
 */
export function timeBudget(
  receivedAtMs: number,
  requestedSeconds: number | undefined,
  { maxWaitMs, answerReserveMs }: { maxWaitMs: number; answerReserveMs: number },
) {
  const waitMs =
    requestedSeconds === undefined ? undefined : Math.min(Math.round(requestedSeconds * 1000), maxWaitMs)
  return { waitMs, deadlineMs: receivedAtMs + (waitMs ?? maxWaitMs) - answerReserveMs }
}
