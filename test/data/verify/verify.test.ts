import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Findings, findFaults } from '../../../infra/data/verify/find-faults.ts'
import { repair } from '../../../infra/data/verify/repair.ts'
import { eraseUser } from '../../../infra/data/membership/unlink.ts'
import { linkUser } from '../../../infra/data/membership/link.ts'
import { isLinked } from '../../../lib/domain/provider.ts'
import { removeProvider } from '../../../lib/removal/remove-provider.ts'
import { type Item, userOf } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import { withoutPlan, type Plan, withPlan } from '../../removal/faults.ts'
import { nameOf } from '../../support/put-items.ts'
import { int32, userId } from '../../support/samples.ts'
import { type DataScenario, itemsOf, never, scenario } from '../scenario.ts'
import { arbitraryResources } from '../arbitrary-records.ts'
import { notRepairable } from './faults-for-a-person.ts'
import { change, type PlantedFault, provider, user } from './planting.ts'
import { repairable } from './repairable-faults.ts'
import { foreignIn, type Items, validItems } from './valid-table.ts'

async function scenarioWith(...planted: PlantedFault[]) {
  const s = await scenario()
  const items = validItems(s.clock.nowMs())
  for (const { plant } of planted) plant(items, s.clock.nowMs())
  await s.put(...items.values())
  return s
}

const find = ({ data, clock }: DataScenario) => clock.moving(findFaults(data, () => {}, never))

/** Repairs what was found, and what is found then. @returns the faults that are left */
async function repairAll(
  s: DataScenario,
  { faults }: Pick<Findings, 'faults'> = { faults: [] },
  round = 1,
): Promise<Findings> {
  for (const { repair: one } of faults) if (one) await s.clock.moving(repair(s.data, one, never))
  const left = await find(s)
  const isDone = left.faults.every(fault => fault.repair === undefined)
  return isDone || round === 5 ? left : repairAll(s, left, round + 1)
}

describe('verify', () => {
  test('finds no fault in a valid table, and counts its items', async () => {
    expect(await find(await scenarioWith())).toEqual({
      counts: { providers: 5, users: 9, memberships: 13 },
      faults: [],
    })
  })

  test('finds no fault in any table without planted faults', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryResources, async ({ providers, users }) => {
        const s = await scenario()
        await s.put(...itemsOf(providers, users))
        expect((await find(s)).faults).toEqual([])
      }),
      { numRuns: process.env.TEST_FULL ? 100 : 4 },
    )
  })

  test.each(notRepairable)('finds $name, and nothing else, and leaves it to a person', async planted => {
    const s = await scenarioWith(planted)
    const before = await s.items()
    expectFaults(await repairAll(s), planted)
    expect(await s.items()).toEqual(before)
  })

  test.each(repairable)(
    'finds $name, and nothing else; repairs it once, and keeps what other services store beside it',
    async planted => {
      const s = await scenarioWith(planted)
      const before = await s.items()
      const found = await find(s)
      expectFaults(found, planted, { repair: expect.anything() })
      expect(await s.items()).toEqual(before)
      expect(await repairAll(s, found)).toMatchObject({ faults: [] })
      const after = await s.items()
      const kept = foreignByPlace(before)
      for (const [place, foreign] of foreignByPlace(after)) expect(foreign, place).toEqual(kept.get(place))
      // Only single faults: a count that was changed and changed back may be set to a wrong number until the next run.
      for (const { repair: one } of planted.found.length === 1 ? found.faults : [])
        expect(one && (await s.clock.moving(repair(s.data, one, never)))).toMatch(/changed|no longer/)
      expect(await s.items()).toEqual(after)
    },
  )
})

function expectFaults({ faults }: Findings, { found }: PlantedFault, more = {}) {
  const byPlace = (a: { place: string }, b: { place: string }) => (a.place < b.place ? -1 : 1)
  const expected = found.map(([key, problem]) => ({
    place: nameOf(key),
    problem: expect.stringMatching(problem),
    ...more,
  }))
  expect(faults.toSorted(byPlace)).toEqual(expected.toSorted(byPlace))
}

/** What other services keep in each item. */
const foreignByPlace = (items: Item[]) => new Map(items.map(item => [nameOf(item), foreignIn(item)]))

describe('verify with other writers', () => {
  test.each([1, 2, 3, 4])('finds no fault when users are linked and erased at scan %i', async at => {
    const s = await scenarioWith()
    const plan: Plan = async ({ n, operation, send }) => {
      if (operation === 'Scan' && n === at + 1)
        await withoutPlan(async () => {
          const links = { saml_provider_id: int32(2), sso_provider_id: int32(10) }
          expect(await linkUser(s.data, userId(7), links, '2026-01-01T00:00:00.000Z', never)).toBe('linked')
          expect(await eraseUser(s.data, userId(1), never)).toBe('erased')
        })
      return send()
    }
    expect((await withPlan(plan, () => find(s))).result.faults).toEqual([])
  })

  test('reads an apparent fault again, because it may be half of a transaction', async () => {
    const s = await scenarioWith()
    let reads = 0
    const plan: Plan = async ({ operation, send }) => {
      const reply = await send()
      const items = (reply.output.Responses ?? reply.output) as Record<string, Item[]>
      // Neither the scan nor the first read after it returns the memberships.
      const isIncomplete = operation === 'Scan' || (operation === 'BatchGetItem' && reads++ === 0)
      if (isIncomplete) for (const name of Object.keys(items)) items[name] = withoutMemberships(items[name])
      return reply
    }
    expect((await withPlan(plan, () => find(s))).result.faults).toEqual([])
    expect(reads).toBe(2)
  })
})

const withoutMemberships = (items: Item[] | undefined) =>
  Array.isArray(items)
    ? items.filter(({ PK }) => !String(PK).startsWith('SAML_PROVIDER#1'))
    : (items as never)

describe('verify --repair', () => {
  test('repairs any set of faults, so that every removal lists the linked users', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(repairable), async planted => {
        const s = await scenarioWith(...planted)
        expect(await repairAll(s)).toMatchObject({ faults: [] })
        for (const id of [1, 2, 3]) {
          const [listed, linked] = await removed(s, id)
          expect(listed).toEqual(linked)
        }
        expect((await find(s)).faults).toEqual([])
      }),
      { numRuns: process.env.TEST_FULL ? 200 : 5 },
    )
  })

  test('keeps an SSO link that leads to an active provider, too', async () => {
    const plant = (items: Items) => {
      change(items, provider(5), { sso_provider_id: 10 })
      change(items, user(3), { saml_provider_id: 5 })
    }
    const s = await scenarioWith({ name: 'two links', plant, found: [] })
    await repairAll(s)
    const item = await s.data.table.get(user(3), never)
    expect([item?.saml_provider_id, item?.sso_provider_id]).toEqual([undefined, 10])
  })
})

/** Removes a provider. @returns the listed ids, and the ids linked before */
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
  const ports = { store, clock, newId: () => `removal ${id}`, retentionMs: 86_400_000 }
  const context = { requestedBy: 'test', log: () => {}, signal: never }
  const pages = await clock.moving(
    removeProvider(ports, found, context).then(users => Array.fromAsync(users)),
  )
  expect(await linkedIds()).toEqual([])
  return [pages.flat().map(user => user.id), linked]
}
