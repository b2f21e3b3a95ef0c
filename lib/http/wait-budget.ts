import { type Clock, timeLimit } from '../time.ts'
import type { Config } from '../config.ts'
import { receivedAt, timeBudget } from '../domain/budget.ts'
import { Failure } from '../domain/failure.ts'
import { waitSeconds } from './prefer.ts'
import { headerLines, type Step } from './request.ts'

/** The time limit of a request, and the signal that aborts its work. */
export interface Budget {
  /** When the gateway received the request, by this function's clock. */
  receivedAtMs: number
  /** Aborts when the time is over, with the client's failure as its reason, and when the request ends. */
  signal: AbortSignal
  /** The applied `wait` in milliseconds; undefined when the request has none. */
  waitMs: number | undefined
  /** Ends the wait at the first byte of the answer; reading and sending the rest may take so many milliseconds. */
  allowSending(ms: number): void
  /** Ends the budget with the request: clears the timer and aborts running calls. */
  release: () => void
}

/** Milliseconds before the function's time-out at which sending is aborted, so that this is logged. */
const reserveMs = 1000
/** The reason for calls that still run when their request ends. One for all: making an Error takes time for its stack. */
const requestEnded = new Error('the request has ended')

/** `Prefer: wait` → one signal that aborts all work of the request; the time counts from its receipt. */
export function waitBudget({ clock, config }: { clock: Clock; config: Config }): Step<{ budget: Budget }> {
  return {
    before: ({ event }) => {
      const requestedSeconds = waitSeconds(headerLines(event, 'prefer'))
      const receivedAtMs = receivedAt(event.requestContext.requestTimeEpoch, clock.nowMs())
      const { waitMs, deadlineMs } = timeBudget(receivedAtMs, requestedSeconds, config)
      const limit = timeLimit(clock, deadlineMs, () => new Failure('wait_expired'))
      const allowSending = (ms: number) =>
        limit.move(
          clock.nowMs() + ms - reserveMs,
          () => new Failure('table_busy', {}, new Error(`not sent within ${ms} ms`)),
        )
      const release = () => limit.end(requestEnded)
      event.budget = { receivedAtMs, signal: limit.signal, waitMs, allowSending, release }
      limit.signal.throwIfAborted()
    },
    // Returning anything here would replace the answer.
    after: ({ event }) => void event.budget.release(),
    // Also runs when the event was so odd that there is no budget yet.
    onError: ({ event }) => void (event as Partial<typeof event>).budget?.release(),
  }
}
