import { describe, expect, test } from 'vitest'
import type { ImportOptions } from '../../../infra/data/import/import-records.ts'
import { segments } from '../../../infra/data/scan.ts'
import { type Plan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { type DataScenario, itemsOf, ndjson, scenario } from '../scenario.ts'

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
  const { result } = await withPlan(plan, () => s.import(text, options))
  expect(result.faults).toEqual([])
  return calls
}

describe('an import', () => {
  test('links the users of a provider in the table by few transactions, each with its count', async () => {
    const s = await scenario()
    await s.put(...itemsOf([sampleProvider(7)], []))
    const calls = await callsOf(s, ndjson(...users(294)))
    expect(calls).toEqual({ Query: 7, BatchGetItem: 15, TransactWriteItems: 6 })
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], users(294)))
  })

  test('moves the users of a provider by few transactions, which do not meet', async () => {
    const s = await scenario()
    const providers = [sampleProvider(7), sampleProvider(8)]
    const moved = users(400).map((_, n) => sampleUser(n, { saml: 8 }))
    await s.put(...itemsOf(providers, users(400)))
    const calls = await callsOf(s, ndjson(...moved), { update: true, unlink: [7] })
    expect(calls.TransactWriteItems).toBeLessThan(30)
    expect(await s.items()).toEqual(itemsOf(providers, moved))
  })

  test('sends no transaction of more than 4 MB', async () => {
    const s = await scenario()
    await s.put(...itemsOf([sampleProvider(7)], []))
    const large = users(15).map(user => ({ ...user, principal_name: 'x'.repeat(390_000) }))
    expect(await callsOf(s, ndjson(...large))).toMatchObject({ TransactWriteItems: 2 })
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], large))
  })

  test('that finds users, memberships and providers there only reads', async () => {
    const s = await scenario()
    // More than are read at once.
    await s.put(...itemsOf([sampleProvider(7)], users(450)))
    expect(await callsOf(s, ndjson(sampleProvider(7), ...users(450)))).toEqual({ Query: 1, BatchGetItem: 5 })
  })

  test('that continues puts no membership again', async () => {
    const s = await scenario()
    const there = itemsOf([sampleProvider(7)], users(98)).filter(({ state }) => state === undefined)
    await s.put(...there)
    const calls = await callsOf(s, ndjson(sampleProvider(7), ...users(98)))
    expect(calls).toEqual({ Query: 3, BatchGetItem: 1, Scan: segments, TransactWriteItems: 1 })
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], users(98)))
  })

  test.each(['BatchExecuteStatement', 'TransactWriteItems'])(
    'counts as written what a %s has written whose reply was lost, and whose repetitions are throttled',
    async lost => {
      const s = await scenario()
      await s.put(...itemsOf([sampleProvider(8)], []))
      let calls = 0
      const plan: Plan = async ({ operation, send }) => {
        if (operation !== lost) return send()
        calls += 1
        if (calls > 1 && calls <= 11)
          throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' })
        const reply = await send()
        if (calls > 1) return reply
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
      }
      const all = [...users(3), sampleUser(4, { saml: 8 })]
      const { result } = await withPlan(plan, () => s.import(ndjson(sampleProvider(7), ...all)))
      expect(result.counts).toMatchObject({ users: { written: 4 }, providers: { written: 1 } })
      expect(await s.items()).toEqual(itemsOf([sampleProvider(7), sampleProvider(8)], all))
      expect(calls).toBeGreaterThan(11)
    },
  )
})
