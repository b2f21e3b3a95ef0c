/**
 * A lock with shared and exclusive calls, in order: no call starts before an exclusive call that came earlier has ended.
 *
 * @returns `shared` and `exclusive`; each runs a call when the lock allows it and returns its result
 */
export function exclusion() {
  let lastAlone: Promise<unknown> = Promise.resolve()
  let running = new Set<Promise<unknown>>()

  return {
    shared<T>(call: () => Promise<T>): Promise<T> {
      const among = running
      const outcome = lastAlone.then(call)
      const ended: Promise<unknown> = outcome.catch(() => {}).then(() => among.delete(ended))
      among.add(ended)
      return outcome
    },

    exclusive<T>(call: () => Promise<T>): Promise<T> {
      const outcome = Promise.all([lastAlone, ...running]).then(call)
      running = new Set()
      lastAlone = outcome.catch(() => {})
      return outcome
    },
  }
}
