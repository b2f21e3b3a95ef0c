import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findFaults } from '../../../infra/data/verify/find-faults.ts'
import { repair } from '../../../infra/data/verify/repair.ts'
import { eraseUser } from '../../../lib/membership/erase.ts'
import { linkUser } from '../../../lib/membership/link.ts'
import { isLinked } from '../../../lib/domain/provider.ts'
import { removeProvider } from '../../../lib/removal/remove-provider.ts'
import type { Attributes } from '../../../lib/store/attribute-values.ts'
import { userOf } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import { withoutPlan, type Plan, withPlan } from '../../removal/faults.ts'
import { int32, userId } from '../../support/samples.ts'
import { type DataScenario, itemsOf, never, scenario } from '../scenario.ts'
import { arbitraryResources } from '../arbitrary-records.ts'
import { type Mistake, withoutRepair, withRepair } from './mistakes.ts'
import { placeOf, soundItems } from './sound-table.ts'

async function scenarioWith(...made: Mistake[]) {
  const s = await scenario()
  const items = soundItems(s.clock.nowMs())
  for (const { make } of made) make(items, s.clock.nowMs())
  await s.put(...items.values())
  return s
}

const find = ({ data, clock }: DataScenario) => clock.moving(findFaults(data, () => {}, never))

async function mend(s: DataScenario) {
  for (let round = 1; round <= 5; round++) {
    const repairs = (await find(s)).faults.flatMap(fault => fault.repair ?? [])
    for (const one of repairs) await s.clock.moving(repair(s.data, one, never))
    if (repairs.length === 0) return
  }
}

describe('verify', () => {
  test('finds nothing in a table that is right, and counts what is in it', async () => {
    expect(await find(await scenarioWith())).toEqual({
      counts: { providers: 5, users: 9, memberships: 12 },
      faults: [],
    })
  })

  test('finds nothing in any table that other writers and imports make', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryResources, async ({ providers, users }) => {
        const s = await scenario()
        await s.put(...itemsOf(providers, users))
        expect((await find(s)).faults).toEqual([])
      }),
      { numRuns: process.env.TEST_FULL ? 100 : 8 },
    )
  })

  test.each([...withoutRepair, ...withRepair])('finds $name, and nothing else', async mistake => {
    const s = await scenarioWith(mistake)
    const before = await s.items()
    const { faults } = await find(s)
    const byPlace = (a: { place: string }, b: { place: string }) => (a.place < b.place ? -1 : 1)
    expect(faults.toSorted(byPlace)).toEqual(
      mistake.found
        .map(([key, problem]) => ({
          place: placeOf(key),
          problem: expect.stringMatching(problem),
          ...(withRepair.includes(mistake) && { repair: expect.anything() }),
        }))
        .toSorted(byPlace),
    )
    expect(await s.items()).toEqual(before)
  })
})

describe('verify beside other writers', () => {
  test.each([1, 2, 3, 4])('finds nothing wrong with users who come and go at scan %i', async at => {
    const s = await scenarioWith()
    const plan: Plan = async ({ n, operation, send }) => {
      if (operation === 'Scan' && n === at + 1)
        await withoutPlan(async () => {
          const { memberships } = s.data
          const links = { saml_provider_id: int32(2), sso_provider_id: int32(10) }
          expect(await linkUser(memberships, userId(7), links, '2026-01-01T00:00:00.000Z', never)).toBe(
            'linked',
          )
          expect(await eraseUser(memberships, userId(1), never)).toBe('erased')
        })
      return send()
    }
    expect((await withPlan(plan, () => find(s))).result.faults).toEqual([])
  })

  test('reads again what looks wrong, for it may be half of a transaction', async () => {
    const s = await scenarioWith()
    let readings = 0
    const plan: Plan = async ({ operation, send }) => {
      const reply = await send()
      const items = (reply.output.Responses ?? reply.output) as Record<string, Attributes[]>
      // The scan misses the memberships, and so does the first reading after it.
      const isBlind = operation === 'Scan' || (operation === 'BatchGetItem' && readings++ === 0)
      if (isBlind) for (const name of Object.keys(items)) items[name] = withoutMemberships(items[name])
      return reply
    }
    expect((await withPlan(plan, () => find(s))).result.faults).toEqual([])
    expect(readings).toBe(2)
  })
})

const withoutMemberships = (items: Attributes[] | undefined) =>
  Array.isArray(items) ? items.filter(({ PK }) => !PK?.S?.startsWith('SAML_PROVIDER#1')) : (items as never)

describe('verify --repair', () => {
  test.each(withRepair)('mends $name', async mistake => {
    const s = await scenarioWith(mistake)
    await mend(s)
    expect((await find(s)).faults).toEqual([])
  })

  test('makes a table of which every removal is right, whatever was wrong with it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(withRepair), async made => {
        const s = await scenarioWith(...made)
        await mend(s)
        expect((await find(s)).faults).toEqual([])
        for (const id of [1, 2, 3]) {
          const [told, linked] = await removed(s, id)
          expect(told).toEqual(linked)
        }
        expect((await find(s)).faults).toEqual([])
      }),
      { numRuns: process.env.TEST_FULL ? 200 : 15 },
    )
  })

  test('leaves what has no right answer as it is', async () => {
    for (const mistake of withoutRepair) {
      const s = await scenarioWith(mistake)
      const before = await s.items()
      await mend(s)
      expect(await s.items(), mistake.name).toEqual(before)
    }
  })

  test('changes nothing that another writer has changed meanwhile', async () => {
    // A count that others have changed, and changed back, may be set wrong: the next round sets it right.
    for (const mistake of withRepair.filter(({ found }) => found.length === 1)) {
      const s = await scenarioWith(mistake)
      const { faults } = await find(s)
      await mend(s)
      const before = await s.items()
      for (const { repair: one } of faults)
        if (one !== undefined)
          expect(await s.clock.moving(repair(s.data, one, never)), mistake.name).toBe(false)
      expect(await s.items()).toEqual(before)
    }
  })
})

/** Removes a provider. @returns the ids that are told, and those that were linked before */
async function removed({ data, clock, items }: DataScenario, id: number) {
  const find = async () => (await allProviders(data.table, never)).find(({ resource }) => resource.id === id)
  const linkedIds = async () =>
    (await items())
      .filter(({ SK }) => SK === 'USER')
      .map(userOf)
      .filter(user => isLinked(user, (found as NonNullable<typeof found>).resource))
      .map(user => user.id)
  const found = await find()
  if (found === undefined) throw new Error(`provider ${id} is gone`)
  const linked = await linkedIds()
  const store = removalStore(data.table)
  const tools = { store, clock, newId: () => `removal ${id}`, retentionMs: 86_400_000 }
  const asker = { requestedBy: 'test', log: () => {}, signal: never }
  const pages = await clock.moving(removeProvider(tools, found, asker).then(them => Array.fromAsync(them)))
  expect(await linkedIds()).toEqual([])
  return [pages.flat().map(user => user.id), linked]
}
