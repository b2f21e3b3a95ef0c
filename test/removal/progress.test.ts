import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { brokenBy } from './promises.ts'
import { type Scenario, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory(10)
const users = process.env.TEST_FULL ? 5000 : 1000

test(`repeated DELETEs with too small a budget finish the removal of ${users} users`, async () => {
  const budgetMs = 0.5 * (await durationMs())
  const scenario = await makeScenario(users)
  const unlinked = [0]
  for (;;) {
    const failure = await within(scenario, budgetMs)
    if (failure === undefined) break
    expect(failure.code).toBe('removal_unfinished')
    expect(failure.facts.unlinked).toBeGreaterThan(unlinked.at(-1) ?? 0)
    unlinked.push(failure.facts.unlinked ?? 0)
  }
  expect(unlinked.length, 'DELETEs').toBeGreaterThan(2)
  expect(brokenBy(await scenario.attempt(), await scenario.state(), scenario)).toEqual([])
})

async function durationMs(): Promise<number> {
  const scenario = await makeScenario(users)
  const startMs = scenario.clock.nowMs()
  await scenario.attempt()
  return scenario.clock.nowMs() - startMs
}

/** @returns undefined when the budget was enough */
async function within(scenario: Scenario, ms: number): Promise<Failure | undefined> {
  const expiry = new AbortController()
  const cancel = scenario.clock.schedule(scenario.clock.nowMs() + ms, () =>
    expiry.abort(new Failure('wait_expired')),
  )
  try {
    await scenario.attempt(undefined, expiry.signal)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  } finally {
    cancel()
  }
}
