import { expect, test } from 'vitest'
import { providerKey } from '../../lib/store/keys.ts'
import { delay } from '../../lib/time.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { cancelled } from '../support/refusals.ts'
import { type Plan, withPlan } from '../support/test-client.ts'
import { idsOf, scenarioFactory } from './scenario.ts'

const makeScenario = scenarioFactory()
const never = new AbortController().signal
const callMs = 5

/** Each call takes a while; a transaction that meets another one at an item is refused, as by DynamoDB. */
function inConflict(clock: FakeClock) {
  const busy = new Set<string>()
  const seen = { conflicts: 0 }
  const plan: Plan = async ({ body, send }) => {
    const { TransactItems = [] } = body as { TransactItems?: Record<string, { Key: object }>[] }
    const keys = TransactItems.flatMap(Object.values).map(({ Key }) => JSON.stringify(Key))
    if (keys.some(key => busy.has(key))) {
      seen.conflicts += 1
      return cancelled(...keys.map(key => (busy.has(key) ? 'TransactionConflict' : 'None')))
    }
    for (const key of keys) busy.add(key)
    await clock.thaw(() => delay(clock, callMs, never))
    for (const key of keys) busy.delete(key)
    return send()
  }
  return { plan, seen }
}

test('two DELETEs of 400 users end with one list beside writers whose links are refused', async () => {
  const scenario = await makeScenario(400)
  const { clock, table, provider, users } = scenario
  const { plan, seen } = inConflict(clock)
  let isOver = false
  const link = {
    Update: {
      Key: providerKey(provider.id),
      UpdateExpression: 'SET member_count = member_count + :one',
      ConditionExpression: '#state = :active',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':one': 1, ':active': 'active' },
    },
  }
  async function linking() {
    let refused = 0
    while (!isOver) {
      await delay(clock, 20, never)
      if (await table.transact([link], never, { triesMax: 1 })) refused += 1
    }
    return refused
  }
  const [one, other, refused] = await withPlan(plan, async () => {
    const links = clock.moving(linking())
    const lists = await Promise.all([scenario.attempt(), scenario.attempt()])
    isOver = true
    return [...lists, await links] as const
  })
  expect([one, other]).toEqual([idsOf(users), idsOf(users)])
  expect((await scenario.state()).linked).toEqual([])
  expect(Math.min(seen.conflicts, refused)).toBeGreaterThan(0)
})
