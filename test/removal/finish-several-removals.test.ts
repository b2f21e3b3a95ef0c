import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import { membershipKey } from '../../lib/store/keys.ts'
import { delay } from '../../lib/time.ts'
import { abandonedIn, runMs, type Scenario, scenarioFactory } from './scenario.ts'
import { outputOf, type Plan, replyOf, withPlan } from '../support/test-client.ts'

const abandoned = abandonedIn(scenarioFactory())
const never = new AbortController().signal

/** Abandoned removals of providers 1 and 2, which have no users, and of a third one. */
async function threeAbandoned() {
  const scenario = await abandoned(2)
  const { item } = await scenario.state()
  await scenario.put([1, 2].map(n => ({ ...item, SK: `PROVIDER#000000000${n}`, member_count: 0 })))
  return scenario
}

test.each([1, 2, 3])(
  'the scheduled function finishes other removals when that of the %i. provider never ends',
  async nth => {
    const scenario = await threeAbandoned()
    const endless = [1, 2, scenario.provider.id][nth - 1] as number
    const plan: Plan = async ({ operation, body, send }) => {
      const reply = await send()
      if (operation !== 'Query' || !JSON.stringify(body).includes(`"SAML_PROVIDER#${endless}"`)) return reply
      await scenario.clock.thaw(() => delay(scenario.clock, 10_000, never))
      return replyOf({ ...outputOf(reply), LastEvaluatedKey: marshall(membershipKey(endless, 'x')) })
    }
    await withPlan(plan, () => scenario.run())
    const states = (await scenario.items()).flatMap(({ state }) => state ?? [])
    expect(states).toEqual([1, 2, 3].map(n => (n === nth ? 'removing' : 'removed')))
  },
)

/** Each reading of memberships takes this share of a run. */
const reading =
  ({ clock }: Scenario, share: number): Plan =>
  async ({ operation, body, send }) => {
    const reply = await send()
    if (operation === 'Query' && JSON.stringify(body).includes('"SAML_PROVIDER#'))
      await clock.thaw(() => delay(clock, share * runMs, never))
    return reply
  }

test('the scheduled function finishes a removal that needs more than an equal share of the run', async () => {
  const scenario = await threeAbandoned()
  const plan = reading(scenario, 0.4)
  const removedByRun = async () => {
    await withPlan(plan, () => scenario.run())
    return (await scenario.items()).filter(({ state }) => state === 'removed').length
  }
  // The second run has half of its time for one, and all that is left, 0.6, for the last.
  expect([await removedByRun(), await removedByRun()]).toEqual([1, 3])
})

test('the scheduled function begins with each of several removals some day', async () => {
  const scenario = await threeAbandoned()
  const orders = new Set<string>()
  let order: number[] = []
  const busy: Plan = async ({ operation, body, send }) => {
    if (operation !== 'Query') return send()
    const [, id] = /"SAML_PROVIDER#(\d+)"/.exec(JSON.stringify(body)) ?? []
    order = id === undefined ? [] : [...order, Number(id)]
    if (id === undefined) return send()
    if (order.length === 3) orders.add(order.join())
    throw new Failure('table_busy', {}, new Error('throttled'))
  }
  for (let run = 0; run < 6; run++) {
    await withPlan(busy, () => scenario.run())
    scenario.clock.advance(1)
  }
  const { id } = scenario.provider
  expect([...orders].sort()).toEqual([`1,2,${id}`, `2,${id},1`, `${id},1,2`])
})
