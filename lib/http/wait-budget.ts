import type { Clock } from '../time.ts'
import type { Config } from '../config.ts'
import { grantTime } from '../domain/budget.ts'
import { Failure } from '../domain/failure.ts'
import { waitSeconds } from './prefer.ts'
import { headerLines, type Step } from './request.ts'

export interface Budget {
  /** Aborts when the time is over; its reason is the failure that the client is told. */
  signal: AbortSignal
  /** Milliseconds granted of the caller's own `wait`, if it named one. */
  waitMs: number | undefined
  /** Ends the budget with the request, so that nothing outlives it: no timer, and no call that is still under way. */
  release: () => void
}

/** `Prefer: wait` → one signal that ends everything the request has under way, counted from the gateway's clock. */
export function waitBudget({ clock, config }: { clock: Clock; config: Config }): Step<{ budget: Budget }> {
  return {
    before: ({ event }) => {
      const wish = waitSeconds(headerLines(event, 'prefer'))
      const { waitMs, deadlineMs } = grantTime(event.requestContext.requestTimeEpoch, wish, config)
      const expiry = new AbortController()
      const expire = () => expiry.abort(new Failure('wait_expired'))
      const cancel = clock.schedule(deadlineMs, expire)
      const release = () => {
        cancel()
        expire()
      }
      event.budget = { signal: expiry.signal, waitMs, release }
      if (deadlineMs <= clock.nowMs()) release()
      expiry.signal.throwIfAborted()
    },
    // Returning anything here would replace the answer.
    after: ({ event }) => void event.budget.release(),
    // Also runs when the event was so odd that there is no budget yet.
    onError: ({ event }) => void (event as Partial<typeof event>).budget?.release(),
  }
}
