/**
 * Lets most calls run side by side, and a few alone; none overtakes one that was to run alone and came before it.
 *
 * @returns `beside` and `alone`: each runs a call when its turn has come, and has its outcome
 */
export function exclusion() {
  let lastAlone: Promise<unknown> = Promise.resolve()
  let running = new Set<Promise<unknown>>()

  return {
    beside<T>(call: () => Promise<T>): Promise<T> {
      const among = running
      const outcome = lastAlone.then(call)
      const ended: Promise<unknown> = outcome.catch(() => {}).then(() => among.delete(ended))
      among.add(ended)
      return outcome
    },

    alone<T>(call: () => Promise<T>): Promise<T> {
      const outcome = Promise.all([lastAlone, ...running]).then(call)
      running = new Set()
      lastAlone = outcome.catch(() => {})
      return outcome
    },
  }
}
