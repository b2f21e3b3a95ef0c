import { expect, test } from 'vitest'
import type { ImportOptions } from '../../../infra/data/import/import-records.ts'
import { segments } from '../../../infra/data/table/scan.ts'
import { type Plan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { type DataScenario, filled, itemsOf, ndjson, scenario } from '../scenario.ts'

const users = (count: number) => sampleUsers(count, { saml: 7 })

/** Imports, and counts the calls per operation. */
async function callsOf(s: DataScenario, text: string, options: ImportOptions = {}) {
  const calls: Record<string, number> = {}
  let transactions = 0
  const plan: Plan = async ({ operation, send }) => {
    calls[operation] = (calls[operation] ?? 0) + 1
    if (operation !== 'TransactWriteItems') return send()
    // They would conflict in the count of a provider.
    expect(++transactions).toBe(1)
    return send().finally(() => transactions--)
  }
  const result = await withPlan(plan, () => s.import(text, options))
  expect(result.told).toEqual([])
  return calls
}

test('an import links and moves users by few transactions, and only reads what is there', async () => {
  const providers = [sampleProvider(7), sampleProvider(8)]
  const s = await filled(providers, [])
  const linked = ndjson(...providers, ...users(294))
  expect(await callsOf(s, linked)).toEqual({ Query: 9, BatchGetItem: 18, TransactWriteItems: 7 })
  expect(await s.items()).toEqual(itemsOf(providers, users(294)))
  // An update, too, reads once where nothing changes.
  expect(await callsOf(s, linked, { update: true })).toEqual({ Query: 2, BatchGetItem: 4 })
  const moved = sampleUsers(294, { saml: 8 })
  const { TransactWriteItems } = await callsOf(s, ndjson(...moved), { update: true, unlink: [7] })
  expect(TransactWriteItems).toBeLessThan(27)
  expect(await s.items()).toEqual(itemsOf(providers, moved))
})

test('an import sends no transaction of more than 4 MB', async () => {
  const s = await filled([sampleProvider(7)], [])
  const large = users(15).map(user => ({ ...user, principal_name: 'x'.repeat(390_000) }))
  expect(await callsOf(s, ndjson(...large))).toMatchObject({ TransactWriteItems: 2 })
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], large))
})

test('an import that continues adds only the missing users', async () => {
  const s = await scenario()
  const there = itemsOf([sampleProvider(7)], users(98)).map(item =>
    item.state ? { ...item, state: 'importing' } : item,
  )
  await s.put(...there)
  const calls = await callsOf(s, ndjson(sampleProvider(7), ...users(99)), { update: true })
  expect(calls).toEqual({
    Query: 4,
    BatchGetItem: 4,
    DescribeTable: 1,
    Scan: segments,
    TransactWriteItems: 1,
    UpdateItem: 1,
  })
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], users(99)))
})

test('an import continues one of an older version, which wrote the provider last', async () => {
  const s = await scenario()
  const all = itemsOf([sampleProvider(7)], users(98))
  await s.put(...all.filter(({ state }) => state === undefined).slice(1))
  expect((await s.import(ndjson(sampleProvider(7), ...users(98)))).told).toEqual([])
  expect(await s.items()).toEqual(all)
})

test('an import goes on after lost replies and long throttling, and counts what it wrote', async () => {
  const providers = [sampleProvider(7), sampleProvider(8)]
  const s = await scenario()
  await s.put(...itemsOf(providers.slice(1), []))
  const calls: Record<string, number> = {}
  const plan: Plan = async call => {
    const { operation, send } = call
    const n = (calls[operation] ?? 0) + 1
    calls[operation] = n
    // Batches are given up sooner.
    if (n > 1 && n <= (operation === 'BatchGetItem' ? 7 : 60))
      throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' })
    if (n > 1) return send()
    await send()
    throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
  }
  const all = [...users(40), sampleUser(50, { saml: 8 })]
  const result = await withPlan(plan, () => s.import(ndjson(...providers.slice(0, 1), ...all)))
  expect(result.counts).toMatchObject({ users: { written: 41 }, providers: { written: 1 } })
  expect(await s.items()).toEqual(itemsOf(providers, all))
})
