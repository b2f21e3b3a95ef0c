import { abortable } from '../../time.ts'

/**
 * A call that runs once at a time; all who join it get its outcome. Its signal aborts when the signals of all who joined it
 * have aborted.
 */
export function singleFlight(call: (signal: AbortSignal) => Promise<void>) {
  let current: { outcome: Promise<void>; stop: AbortController; waiting: number } | undefined
  return { running: () => current !== undefined, join }

  /**
   * Waits for the running call, or starts one.
   *
   * @throws the signal's reason, without an effect on others who wait; the error of the call
   */
  async function join(signal: AbortSignal): Promise<void> {
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
