import { expect, test } from 'vitest'
import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { userItem } from '../../../lib/store/items.ts'
import { delay } from '../../../lib/time.ts'
import { type Plan, withPlan } from '../../removal/faults.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { sampleUser } from '../../support/samples.ts'
import { never } from '../scenario.ts'
import { cancelled, scenario } from './scenario.ts'

/** DynamoDB with calls of 8 ms: of two transactions on one item at the same time, one is cancelled. */
function conflicting(clock: FakeClock): Plan {
  const inUse = new Set<string>()
  return async ({ operation, body, send }) => {
    const actions = operation === 'TransactWriteItems' ? (body.TransactItems as object[]) : []
    const keys = actions.map(action =>
      JSON.stringify(Object.values(action).map(({ Key, Item }) => Key?.SK ?? Item.SK)),
    )
    const isCancelled = keys.some(key => inUse.has(key))
    if (!isCancelled) for (const key of keys) inUse.add(key)
    await clock.thaw(() => delay(clock, 8, never))
    if (isCancelled) throw cancelled('None', 'TransactionConflict')
    return send().finally(() => {
      for (const key of keys) inUse.delete(key)
    })
  }
}

test('fifty writers on one provider all succeed', { timeout: 600_000 }, async () => {
  const s = await scenario([])
  const operations = process.env.TEST_FULL ? 1000 : 100
  const numbers = Array.from({ length: operations }, (_, n) => n + 1)
  await s.put(...numbers.map(n => userItem(sampleUser(n))))
  const outcomes = new Set<unknown>()
  await withPlan(conflicting(s.clock), () =>
    forEachConcurrently(numbers, 50, async n => void outcomes.add(await s.link(n, { saml: 8 }))),
  )
  expect([...outcomes]).toEqual(['linked'])
  expect((await s.members())[1]?.memberCount).toBe(operations)
})
