import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Findings, findFaults } from '../../../infra/data/verify/find-faults.ts'
import { repair } from '../../../infra/data/verify/repair.ts'
import { isLinked, isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { removeProvider } from '../../../lib/removal/remove-provider.ts'
import { type Item, userOf } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import { nameOf } from '../../support/put-items.ts'
import { type DataScenario, never, scenario } from '../scenario.ts'
import { copied, copy, copyOf, original } from './copies.ts'
import { notRepairable } from './faults-for-a-person.ts'
import { change, type PlantedFault, provider, user } from './planting.ts'
import { repairable } from './repairable-faults.ts'
import { foreignIn, type Items, validItems } from './valid-table.ts'

/** A table of valid tables, each with its planted faults. */
async function scenarioWith(tables: PlantedFault[][], atEnd?: Parameters<typeof scenario>[0]) {
  const s = await scenario(atEnd)
  const items = tables.flatMap((planted, n) => {
    const valid = validItems(s.clock.nowMs())
    for (const { plant } of planted) plant(valid, s.clock.nowMs())
    return copied(valid, n)
  })
  await s.put(...items)
  return s
}

const find = ({ data, clock }: DataScenario) => clock.moving(findFaults(data, () => {}, never))

/** Does the repairs of these faults. @returns why each was not done */
async function repairEach({ data, clock }: DataScenario, { faults }: Pick<Findings, 'faults'>) {
  const refusals = new Map<string, string | undefined>()
  for (const { place, repair: one } of faults)
    if (one) refusals.set(place, await clock.moving(repair(data, one, never)))
  return refusals
}

/** Repairs what is found, and what is found then. @returns the faults that are left */
async function repairAll(s: DataScenario, found?: Findings, round = 1): Promise<Findings> {
  const findings = found ?? (await find(s))
  if (round === 6 || findings.faults.every(fault => fault.repair === undefined)) return findings
  await repairEach(s, findings)
  return repairAll(s, undefined, round + 1)
}

describe('verify', () => {
  const valid: PlantedFault = { name: 'no fault', plant: () => {}, found: [] }
  const all = [valid, ...notRepairable, ...repairable]
  let before: Item[] = []
  let after: Item[] = []
  let found: Findings
  let left: Findings
  let repeated: Map<string, string | undefined>

  beforeAll(async () => {
    let cleanUp = async () => {}
    const s = await scenarioWith(
      all.map(one => [one]),
      run => {
        cleanUp = run
      },
    )
    before = await s.items()
    found = await find(s)
    expect(await s.items()).toEqual(before)
    left = await repairAll(s, found)
    after = await s.items()
    // A count that was changed and changed back may be set to a wrong number until the next run.
    const single = found.faults.filter(({ place }) => all[copyOf(place)]?.found.length === 1)
    repeated = await repairEach(s, { faults: single })
    expect(await s.items()).toEqual(after)
    return cleanUp
  })

  const itemsOf = (items: Item[], planted: PlantedFault) =>
    items.filter(item => copyOf(nameOf(item)) === all.indexOf(planted))

  const faultsOf = ({ faults }: Findings, planted: PlantedFault) =>
    faults
      .filter(({ place }) => copyOf(place) === all.indexOf(planted))
      .map(({ place, problem, repair }) => ({
        place,
        problem: original(problem),
        isRepairable: repair !== undefined,
      }))
      .toSorted((one, other) => (one.place < other.place ? -1 : 1))

  const expected = (planted: PlantedFault, isRepairable: boolean) =>
    planted.found
      .map(([key, problem]) => ({
        place: nameOf(copy({ ...key }, all.indexOf(planted))),
        problem: expect.stringMatching(problem),
        isRepairable,
      }))
      .toSorted((one, other) => (one.place < other.place ? -1 : 1))

  test.each([valid, ...notRepairable])(
    'finds $name, and nothing else, and leaves it to a person',
    planted => {
      expect(faultsOf(found, planted)).toEqual(expected(planted, false))
      expect(faultsOf(left, planted)).toEqual(expected(planted, false))
      expect(itemsOf(after, planted)).toEqual(itemsOf(before, planted))
    },
  )

  test.each(repairable)(
    'finds $name, and nothing else; repairs it once, and keeps what other services store beside it',
    planted => {
      expect(faultsOf(found, planted)).toEqual(expected(planted, true))
      expect(faultsOf(left, planted)).toEqual([])
      const kept = foreignByPlace(itemsOf(before, planted))
      for (const [place, foreign] of foreignByPlace(itemsOf(after, planted)))
        expect(foreign, place).toEqual(kept.get(place))
      for (const { place } of planted.found.length === 1 ? faultsOf(found, planted) : [])
        expect(repeated.get(place)).toMatch(/changed|no longer/)
    },
  )
})

/** What other services keep in each item. */
const foreignByPlace = (items: Item[]) => new Map(items.map(item => [nameOf(item), foreignIn(item)]))

describe('verify --repair', () => {
  test('repairs any set of faults, so that every removal lists the linked users', async () => {
    const tables = fc.array(fc.subarray(repairable), { minLength: 8, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(tables, async planted => {
        const s = await scenarioWith(planted)
        expect(await repairAll(s)).toMatchObject({ faults: [] })
        const users = (await s.items()).filter(({ SK }) => SK === 'USER').map(userOf)
        const active = (await allProviders(s.data.table, never)).filter(isListed)
        expect(active).toHaveLength(3 * planted.length)
        for (const found of active) {
          const linked = users.filter(user => isLinked(user, found.resource))
          expect(await removedIds(s, found)).toEqual(linked.map(({ id }) => id))
        }
        expect((await find(s)).faults).toEqual([])
      }),
      { numRuns: process.env.TEST_FULL ? 25 : 1 },
    )
  })

  test('keeps an SSO link that leads to an active provider, too', async () => {
    const s = await scenario()
    const items: Items = validItems(s.clock.nowMs())
    change(items, provider(5), { sso_provider_id: 10 })
    change(items, user(3), { saml_provider_id: 5 })
    await s.put(...items.values())
    await repairAll(s)
    const item = await s.data.table.get(user(3), never)
    expect([item?.saml_provider_id, item?.sso_provider_id]).toEqual([undefined, 10])
  })
})

/** Removes a provider. @returns the listed ids */
async function removedIds({ data, clock }: DataScenario, found: ProviderRecord) {
  const newId = () => `removal ${found.resource.id}`
  const ports = { store: removalStore(data.table), clock, newId, retentionMs: 86_400_000 }
  const context = { requestedBy: 'test', log: () => {}, signal: never }
  const pages = await clock.moving(
    removeProvider(ports, found, context).then(users => Array.fromAsync(users)),
  )
  return pages.flat().map(({ id }) => id)
}
