import { abortable } from '../../time.ts'

/** A call of which one at a time runs, and whose outcome all who join it share. */
export interface SingleFlight {
  /** Whether the call runs. */
  running(): boolean
  /**
   * Waits for the running call, or starts one.
   *
   * @throws the signal's reason, without harm to others who wait; what the call throws
   */
  join(signal: AbortSignal): Promise<void>
}

/** Makes a call a single flight; its signal aborts when the last who joined it has left. */
export function singleFlight(call: (signal: AbortSignal) => Promise<void>): SingleFlight {
  let current: { outcome: Promise<void>; stop: AbortController; waiting: number } | undefined
  return { running: () => current !== undefined, join }

  async function join(signal: AbortSignal) {
    signal.throwIfAborted()
    const mine = current ?? start()
    mine.waiting++
    try {
      await abortable(mine.outcome, signal)
    } finally {
      mine.waiting--
      if (mine.waiting === 0 && current === mine) {
        current = undefined
        mine.stop.abort()
      }
    }
  }

  function start() {
    const stop = new AbortController()
    const started = { outcome: call(stop.signal), stop, waiting: 0 }
    current = started
    started.outcome.then(end, end)
    return started

    function end() {
      if (current === started) current = undefined
    }
  }
}
