import { type Clock, throwIfOver, timeLimit } from '../time.ts'
import type { Config } from '../config.ts'
import { Failure, type FailureCode } from '../domain/failure.ts'
import { waitSeconds } from './prefer.ts'
import { headerLines, type Step } from './request.ts'

/** The time limit of a request, and the signal that aborts its work. */
export interface Budget {
  /** When the gateway received the request, by this function's clock. */
  receivedAtMs: number
  /** Aborts when the time is over, with a Failure as its reason, and when the request ends. */
  signal: AbortSignal
  /** The applied `wait` in milliseconds; undefined when the request has none. */
  waitMs: number | undefined
  /**
   * Ends the wait at the first byte of the answer; reading and sending the rest may take so many milliseconds.
   *
   * @param timeOutCode called when they are over
   */
  allowSending(ms: number, timeOutCode: () => FailureCode): void
  /** Ends the budget with the request: clears the timer and aborts running calls. */
  release(): void
}

/** Milliseconds by which the work ends before the wait, to write the answer. */
const answerReserveMs = 150

/** Milliseconds before the function's time-out at which sending is aborted, so that this is logged. */
const sendingReserveMs = 1000
/** The reason for calls that still run when their request ends. One for all: making an Error takes time for its stack. */
const requestEnded = new Error('the request has ended')

/** Lambda ends the start of an environment after 10 s, so a longer time before a function is a difference of clocks. */
const startMaxMs = 10_000

/**
 * `Prefer: wait` → one signal that aborts all work before the first byte of the answer; the time counts from the receipt of
 * the request.
 */
export function waitBudget({ clock, config }: { clock: Clock; config: Config }): Step<{ budget: Budget }> {
  return {
    before: ({ event }) => {
      const seconds = waitSeconds(headerLines(event, 'prefer'))
      const waitMs =
        seconds === undefined ? undefined : Math.min(Math.round(seconds * 1000), config.maxWaitMs)
      const receivedAtMs = receivedAt(event.requestContext.requestTimeEpoch, clock.nowMs())
      const deadlineMs = receivedAtMs + (waitMs ?? config.maxWaitMs) - answerReserveMs
      const limit = timeLimit(clock, deadlineMs, () => new Failure('wait_expired'))
      event.budget = {
        receivedAtMs,
        signal: limit.signal,
        waitMs,
        allowSending(ms, timeOutCode) {
          const timeOut = () => new Failure(timeOutCode(), {}, new Error(`not sent within ${ms} ms`))
          limit.move(clock.nowMs() + ms - sendingReserveMs, timeOut)
        },
        release: () => limit.end(requestEnded),
      }
      throwIfOver(limit.signal)
    },
    // Returning anything here would replace the answer.
    after: ({ event }) => void event.budget.release(),
    onError: ({ event }: { event: { budget?: Budget } }) => void event.budget?.release(),
  }
}

/** Unless the function began 0 to 10 s after the receipt, the clocks differ, and the time before it counts as 0. */
function receivedAt(gatewayMs: number, beganAtMs: number): number {
  const beforeMs = beganAtMs - gatewayMs
  return beforeMs >= 0 && beforeMs <= startMaxMs ? gatewayMs : beganAtMs
}
