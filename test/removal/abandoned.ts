import { crashAt } from './fates.ts'
import { withPlan } from './faults.ts'
import { requestMaxMs, type scenarioFactory } from './scenario.ts'

/** Returns a function that makes a removal of `count` users that was abandoned after its tombstone, `agoMs` before now. */
export const abandonedIn =
  (makeScenario: ReturnType<typeof scenarioFactory>) =>
  async (count: number, agoMs = requestMaxMs + 1) => {
    const scenario = await makeScenario(count)
    await withPlan(crashAt(2, 'crashes after it').plan, () => scenario.attempt()).catch(() => {})
    scenario.clock.advance(agoMs)
    return scenario
  }
