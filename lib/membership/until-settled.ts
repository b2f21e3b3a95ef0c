import { Failure } from '../domain/failure.ts'

const triesMax = 20

/**
 * Reads, decides and writes anew, while another writer came in between each time.
 *
 * @param attempt gives undefined when it came too late
 * @throws Failure `table_busy` when it always does
 */
export async function untilSettled<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
  }
  throw new Failure('table_busy', {}, new Error(`other writers came in between ${triesMax} times`))
}
