import { Failure } from '../domain/failure.ts'

const triesMax = 20

/**
 * Repeats a read, decision and conditional write until no other writer interferes.
 *
 * @param attempt returns undefined when another writer changed what it had read
 * @throws Failure `table_busy` after 20 attempts
 */
export async function untilSettled<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
  }
  throw new Failure('table_busy', {}, new Error(`other writers interfered ${triesMax} times`))
}
