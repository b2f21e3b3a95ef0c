import { Failure } from '../../lib/domain/failure.ts'
import { type Faults, faultAt, faults } from './fault-kinds.ts'
import { withPlan } from './faults.ts'
import { brokenAt, brokenBy } from './promises.ts'
import type { Scenario, Answer } from './scenario.ts'

/** The failures that an interrupted DELETE may answer. */
const interruptions = ['wait_expired', 'removal_unfinished', 'table_busy']
/** Longer than all pauses of a removal with two faults. */
const budgetMs = 10_000

/**
 * Sends a DELETE with faults at the given calls, and the same DELETE twice without faults. Held calls are sent before
 * the second DELETE or before the last one.
 *
 * @returns the number of calls of the first DELETE, and every broken promise
 */
export async function faultRun(scenario: Scenario, at: Record<number, string>, isReleasedLast: boolean) {
  const expiry = new AbortController()
  const cancel = scenario.clock.schedule(scenario.clock.nowMs() + budgetMs, () =>
    expiry.abort(new Failure('wait_expired')),
  )
  const injected = faults(expiry.signal, scenario.clock)
  const first = await withPlan(faultAt(injected, at), () => sendDelete(scenario, expiry.signal))
  cancel()
  expiry.abort(new Failure('wait_expired'))

  const broken: string[] = []
  if (Array.isArray(first.result)) broken.push(...brokenBy(first.result, await scenario.state(), scenario))
  else if (!interruptions.includes(first.result)) broken.push(`the client receives ${first.result}`)
  return { calls: first.calls, broken: [...broken, ...(await repeat(scenario, injected, isReleasedLast))] }
}

async function repeat(
  scenario: Scenario,
  { releaseHeld }: Faults,
  isReleasedLast: boolean,
): Promise<string[]> {
  const broken = brokenAt(await scenario.state(), scenario)
  if (!isReleasedLast) await releaseHeld()
  const again = await sendDelete(scenario)
  broken.push(...brokenBy(again, await scenario.state(), scenario))
  await releaseHeld()
  broken.push(...brokenAt(await scenario.state(), scenario))
  if (JSON.stringify(await sendDelete(scenario)) !== JSON.stringify(again))
    broken.push('the last DELETE has another answer')
  return broken
}

async function sendDelete(scenario: Scenario, signal?: AbortSignal): Promise<Answer | string> {
  try {
    return await scenario.attempt(undefined, signal)
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}
