import { membershipKey } from '../../lib/store/keys.ts'
import { Crash, crashAt, withPlan } from './faults.ts'
import { brokenAt, brokenBy } from './promises.ts'
import type { Mistake, Scenario } from './scenario.ts'
import { writers } from './writers.ts'

interface Outcome {
  /** The number of crashes: before and after every call, and during every batch. */
  crashes: number
  /** The promises broken by the first crash that breaks any, at which the sweep ends. */
  broken: string[]
}

interface Sweep {
  mistake?: Mistake
  /** The work that crashes; a DELETE by default. */
  first?: (scenario: Scenario) => Promise<unknown>
  /** Runs before the DELETE is repeated. */
  between?: (scenario: Scenario) => Promise<unknown>
}

/**
 * Crashes the removal of a provider at every call and during every batch. After each crash it moves a user elsewhere
 * and repeats the DELETE twice. It verifies the promises after each step.
 */
export async function sweep(
  makeScenario: (count: number) => Promise<Scenario>,
  count: number,
  { mistake, first = scenario => scenario.attempt(mistake), between = async () => {} }: Sweep = {},
): Promise<Outcome> {
  const outcome: Outcome = { crashes: 0, broken: [] }
  for (const moment of ['before', 'during', 'after'] as const) {
    for (let call = 1; ; call++) {
      const scenario = await makeScenario(count)
      const { plan, happened } = crashAt(call, moment)
      const answered = await withPlan(plan, () => first(scenario)).catch(rethrowUnlessCrash)
      if (!happened()) break
      outcome.crashes += 1
      const broken = [
        ...(answered === undefined ? [] : ['a crashed process has answered']),
        ...(await afterCrash(scenario, between, mistake)),
      ]
      outcome.broken.push(
        ...broken.map(promise => `crashed ${moment} call ${call} of ${count} users: ${promise}`),
      )
      if (broken.length > 0) return outcome
    }
  }
  return outcome
}

async function afterCrash(
  scenario: Scenario,
  between: (scenario: Scenario) => Promise<unknown>,
  mistake?: Mistake,
): Promise<string[]> {
  const crashed = await scenario.state()
  const broken = brokenAt(crashed, scenario)
  const [user] = crashed.provider?.state === 'active' ? [] : scenario.users
  const moved = user && (await writers(scenario).move(user))
  await between(scenario)
  const again = await scenario.attempt(mistake)
  const after = await scenario.state()
  broken.push(...brokenBy(again, after, scenario))
  if (moved !== undefined && JSON.stringify(after.users[0]) !== JSON.stringify(moved))
    broken.push('a user who had moved elsewhere was changed')
  await writers(scenario).linkAgainstTheRules()
  if (JSON.stringify(await scenario.attempt(mistake)) !== JSON.stringify(again))
    broken.push('the next DELETE has another answer')
  const [{ userId } = { userId: undefined }] = after.members
  if (userId === undefined) return broken
  await scenario.delete(membershipKey(scenario.provider.id, userId))
  if ((await scenario.attempt(mistake)) !== 'provider_not_found')
    broken.push('a list that TTL has begun to delete is answered')
  return broken
}

function rethrowUnlessCrash(error: unknown): undefined {
  if (!(error instanceof Crash)) throw error
}
