import type { Clock } from '../time.ts'
import type { Config } from '../config.ts'
import { timeBudget } from '../domain/budget.ts'
import { Failure } from '../domain/failure.ts'
import { waitSeconds } from './prefer.ts'
import { headerLines, type Step } from './request.ts'

/** The time limit of a request, and the signal that aborts its work. */
export interface Budget {
  /** Aborts when the time is over; its reason is the failure that the client is told. */
  signal: AbortSignal
  /** Milliseconds granted of the caller's own `wait`, if it named one. */
  waitMs: number | undefined
  /** Ends the wait, as the answer is on its way; sending it may take so many milliseconds. */
  allowSending(ms: number): void
  /** Ends the budget with the request, so that nothing outlives it: no timer, and no call that is still under way. */
  release: () => void
}

/** Kept of the time for sending, so that an answer that is not sent in time is logged. */
const reserveMs = 1000

/** `Prefer: wait` → one signal that ends everything the request has under way, counted from the gateway's clock. */
export function waitBudget({ clock, config }: { clock: Clock; config: Config }): Step<{ budget: Budget }> {
  return {
    before: ({ event }) => {
      const wish = waitSeconds(headerLines(event, 'prefer'))
      const { waitMs, deadlineMs } = timeBudget(event.requestContext.requestTimeEpoch, wish, config)
      const expiry = new AbortController()
      const expire = () => expiry.abort(new Failure('wait_expired'))
      let cancel = clock.schedule(deadlineMs, expire)
      const allowSending = (ms: number) => {
        cancel()
        cancel = clock.schedule(clock.nowMs() + ms - reserveMs, () =>
          expiry.abort(new Failure('answer_too_large', {}, new Error(`not sent within ${ms} ms`))),
        )
      }
      const release = () => {
        cancel()
        expire()
      }
      event.budget = { signal: expiry.signal, waitMs, allowSending, release }
      if (deadlineMs <= clock.nowMs()) release()
      expiry.signal.throwIfAborted()
    },
    // Returning anything here would replace the answer.
    after: ({ event }) => void event.budget.release(),
    // Also runs when the event was so odd that there is no budget yet.
    onError: ({ event }) => void (event as Partial<typeof event>).budget?.release(),
  }
}
