import { abortable } from '../time.ts'

/**
 * Limits the number of batches in flight by additive increase and multiplicative decrease, as TCP does. At first there is no
 * limit. A congested batch, of which DynamoDB leaves items undone or which times out, halves the number in flight, down to
 * one; any other raises the limit by 1/limit. Batches that were sent before a halving do not halve again. Batches that wait
 * are sent in their order.
 *
 * @see Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance", 1989
 */
export function batchesAtOnce() {
  let most = Number.POSITIVE_INFINITY
  let inFlight = 0
  let halvings = 0
  const waiting: (() => void)[] = []

  /**
   * Waits until a batch may be sent.
   *
   * @returns a function to call when the batch has ended
   * @throws the signal's reason
   */
  return async (signal: AbortSignal): Promise<(isCongested: boolean) => void> => {
    await turn(signal)
    const halvingsBefore = halvings
    return isCongested => {
      if (!isCongested) most += 1 / most
      else if (halvings === halvingsBefore) {
        most = Math.max(1, inFlight / 2)
        halvings += 1
      }
      leave()
    }
  }

  async function turn(signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push(resolve)
    admit()
    try {
      await abortable(promise, signal)
    } catch (error) {
      const index = waiting.indexOf(resolve)
      if (index >= 0) waiting.splice(index, 1)
      else leave()
      throw error
    }
  }

  function admit() {
    while (waiting.length > 0 && inFlight < Math.floor(most)) {
      inFlight += 1
      waiting.shift()?.()
    }
  }

  function leave() {
    inFlight -= 1
    admit()
  }
}
