import { expect, test } from 'vitest'
import type { ImportOptions } from '../../../infra/data/import/import-records.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Plan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { type DataScenario, filled, inState, itemsOf, scenario } from '../scenario.ts'

const provider = sampleProvider(7)
const providers = [provider, sampleProvider(8)]
const users = (count: number) => sampleUsers(count, { saml: 7 })

/** Imports, and counts the calls per operation. */
async function callsOf(s: DataScenario, records: object[], options: ImportOptions = {}) {
  const calls: Record<string, number> = {}
  let transactions = 0
  const plan: Plan = async ({ operation, send }) => {
    calls[operation] = (calls[operation] ?? 0) + 1
    if (operation !== 'TransactWriteItems') return send()
    // They would conflict in the count of a provider.
    expect(++transactions).toBe(1)
    return send().finally(() => transactions--)
  }
  await withPlan(plan, () => s.accepts(records, options))
  return calls
}

test('an import links and moves users by few transactions', async () => {
  const s = await filled(providers, [])
  const linked = [...providers, ...users(294)]
  expect(await callsOf(s, linked)).toEqual({ Query: 9, BatchGetItem: 18, TransactWriteItems: 7 })
  await s.has(providers, users(294))
  expect(await callsOf(s, linked, { update: true })).toEqual({ Query: 2, BatchGetItem: 4 })
  const moved = sampleUsers(294, { saml: 8 })
  const { TransactWriteItems } = await callsOf(s, moved, { update: true, unlink: [7] })
  expect(TransactWriteItems).toBeLessThan(27)
  await s.has(providers, moved)
})

test('an import sends no transaction of more than 4 MB', async () => {
  const s = await filled([provider], [])
  const large = users(15).map(user => ({ ...user, principal_name: 'x'.repeat(390_000) }))
  expect(await callsOf(s, large)).toMatchObject({ TransactWriteItems: 2 })
  await s.has([provider], large)
})

const written = itemsOf([provider], users(98))
test.each<[string, Item[], object]>([
  [
    'that was killed before its last user',
    inState('importing', written),
    { BatchGetItem: 4, TransactWriteItems: 1 },
  ],
  // It wrote the provider last, and was killed before this and one membership.
  [
    'of an older version',
    written.filter(({ state }) => state === undefined).slice(1),
    { TransactWriteItems: 3 },
  ],
])('an import continues one %s with what is missing', async (_, items, calls) => {
  const s = await scenario()
  await s.put(...items)
  expect(await callsOf(s, [provider, ...users(99)])).toMatchObject(calls)
  await s.has([provider], users(99))
})

test('an import goes on after lost replies and long throttling', async () => {
  const s = await filled(providers.slice(1), [])
  const calls: Record<string, number> = {}
  const plan: Plan = async ({ operation, send }) => {
    const n = (calls[operation] ?? 0) + 1
    calls[operation] = n
    // Batches are given up sooner.
    if (n > 1 && n <= (operation === 'BatchGetItem' ? 7 : 60))
      throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' })
    const reply = await send()
    if (n > 1) return reply
    throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
  }
  const all = [...users(40), sampleUser(50, { saml: 8 })]
  const result = await withPlan(plan, () => s.import([provider, ...all]))
  expect(result.counts).toMatchObject({ users: { written: 41 }, providers: { written: 1 } })
  await s.has(providers, all)
})
