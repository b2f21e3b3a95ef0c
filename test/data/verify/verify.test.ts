import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { kindOf } from '../../../infra/data/table-item.ts'
import type { Fault } from '../../../infra/data/verify/fault.ts'
import { type Findings, rules } from '../../../infra/data/verify/find-faults.ts'
import { repair } from '../../../infra/data/verify/repair.ts'
import { isLinked, isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { removeProvider } from '../../../lib/removal/remove-provider.ts'
import { type Item, userOf } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import { inOrder, nameOf } from '../../support/put-items.ts'
import { type DataScenario, never, scenario } from '../scenario.ts'
import { copied, copy, copyOf, original } from './copies.ts'
import { notRepairable, type Planted, repairable } from './planted-faults.ts'
import { type Changes, changed, keyOf, validTable } from './valid-table.ts'

const isFull = Boolean(process.env.TEST_FULL)
const none: Planted = { name: 'no fault', changes: {}, found: {}, left: {}, after: {} }
const each = [...notRepairable, ...repairable]
const planted = [none, ...each]

/** A table of valid tables, each with its changes. */
async function scenarioWith(tables: Changes[][], atEnd?: Parameters<typeof scenario>[0]) {
  const s = await scenario(atEnd)
  await s.put(...tables.flatMap((changes, n) => copied(changes.reduce(changed, validTable), n)))
  return s
}

/** Does the repairs of these faults. @returns why each was not done */
async function repairEach({ data, clock }: DataScenario, faults: readonly Fault[]) {
  const refusals: (string | undefined)[] = []
  for (const { repair: one } of faults) if (one) refusals.push(await clock.moving(repair(data, one, never)))
  return refusals
}

/** Repairs what is found, once. @returns the faults that are left */
async function repairAll(s: DataScenario): Promise<Findings> {
  await repairEach(s, (await s.find()).faults)
  return s.find()
}

describe('verify', () => {
  let found: Findings
  let left: Findings
  let repeated: (string | undefined)[]
  let after: Item[]
  const ofProviders = new Map<number, Findings>()

  beforeAll(async () => {
    let cleanUp = async () => {}
    const s = await scenarioWith(
      planted.map(({ changes }) => [changes]),
      run => {
        cleanUp = run
      },
    )
    const before = await s.items()
    found = await s.find()
    const stored = new Set(before.map(kindOf).map(about => 'providerId' in about && about.providerId))
    const ids = found.faults
      .filter(({ place }) => copyOf(place) <= each.length)
      .map(({ place }) => providerIdIn(place))
    const some = [...new Set(ids)].filter(id => stored.has(id)).slice(0, isFull ? each.length : 8)
    // A user of provider 2 is here also linked to another provider.
    const two = copy(
      { id: 2 },
      planted.findIndex(({ name }) => name === 'an SSO link alone'),
    ).id
    for (const id of [two, ...some]) ofProviders.set(id, await s.find(id))
    expect(await s.items()).toEqual(before)
    await repairEach(s, found.faults)
    after = await s.items()
    left = await s.find()
    // A count that was changed and changed back may be set to a wrong number until the next run.
    const isAlone = ({ place }: Fault) => Object.keys(planted[copyOf(place)]?.found ?? {}).length === 1
    repeated = await repairEach(s, found.faults.filter(isAlone))
    expect(await s.items()).toEqual(after)
    return cleanUp
  })

  const faultsIn = ({ faults }: Findings, n: number) =>
    faults
      .filter(({ place }) => copyOf(place) === n)
      .map(({ place, problem, repair }) => [place, original(problem), repair !== undefined])

  /** In any order. */
  const expected = (some: Planted['found'], n: number, isRepairable: boolean) =>
    Object.entries(some).flatMap(([name, problems]) =>
      [problems]
        .flat()
        .map(problem => [nameOf(copy({ ...keyOf(name) }, n)), expect.stringMatching(problem), isRepairable]),
    )
  const sorted = (faults: unknown[][]) =>
    faults.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))

  test.each([...planted.entries()].map(([n, one]) => [one.name, n, one] as const))(
    'finds %s, and nothing else; repairs what it can, and changes nothing else',
    (_, n, one) => {
      const forPerson = expected(one.left, n, false)
      expect(sorted(faultsIn(found, n))).toEqual(sorted([...forPerson, ...expected(one.found, n, true)]))
      expect(sorted(faultsIn(left, n))).toEqual(sorted(forPerson))
      const items = after.filter(item => copyOf(nameOf(item)) === n)
      expect(items).toEqual(inOrder(copied(changed(validTable, one.after), n)))
    },
  )

  test('does a repair once', () => {
    expect(repeated.length).toBeGreaterThan(20)
    for (const refusal of repeated) expect(refusal).toMatch(/changed|no longer/)
  })

  test('has a planted fault for each rule', () => {
    expect(new Set(found.faults.map(({ rule }) => rule.wrong))).toEqual(
      new Set(rules.map(({ wrong }) => wrong)),
    )
  })

  test('of one provider finds the same faults of it and of its memberships, and no others', () => {
    expect(ofProviders.size).toBeGreaterThan(7)
    // Users without a membership are not counted.
    const problems = (faults: Fault[]) =>
      faults.map(({ place, problem }) => `${place}: ${problem.replace(/\d+ users/, 'users')}`)
    for (const [id, { faults }] of ofProviders) {
      const own = found.faults.filter(({ place }) => providerIdIn(place) === id)
      expect(problems(faults)).toEqual(expect.arrayContaining(problems(own)))
      expect(problems(found.faults)).toEqual(expect.arrayContaining(problems(faults)))
      for (const { problem } of faults) expect(/ provider (\d+)/.exec(problem)?.[1] ?? `${id}`).toBe(`${id}`)
    }
  })
})

/** The provider whose item or membership has this key. */
const providerIdIn = (place: string) => Number(/PROVIDER#0*(7\d{6})/.exec(place)?.[1])

describe('verify --repair', () => {
  test('repairs any set of faults, so that every removal lists the linked users', {
    timeout: 600_000,
  }, async () => {
    const withoutPerson = repairable.filter(({ left }) => Object.keys(left).length === 0)
    const tables = fc.array(fc.subarray(withoutPerson), { minLength: 8, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(tables, async planted => {
        const s = await scenarioWith(planted.map(faults => faults.map(({ changes }) => changes)))
        // A repair may show a fault that another one hid, as the command says.
        let rounds = 1
        while ((await repairAll(s)).faults.length > 0) expect(rounds++).toBeLessThan(3)
        const users = (await s.items()).filter(({ SK }) => SK === 'USER').map(userOf)
        const active = (await allProviders(s.data.table, never)).filter(isListed)
        expect(active).toHaveLength(3 * planted.length)
        for (const found of active) {
          const linked = users.filter(user => isLinked(user, found.resource))
          expect(await removedIds(s, found)).toEqual(linked.map(({ id }) => id))
        }
        expect((await s.find()).faults).toEqual([])
      }),
      { numRuns: isFull ? 25 : 1 },
    )
  })

  test('keeps an SSO link that leads to an active provider, too', async () => {
    const s = await scenarioWith([[{ P5: { sso: 10 }, U3: { saml: 5 } }]])
    await repairAll(s)
    const item = await s.data.table.get(copy(keyOf('U3'), 0), never)
    expect([item?.saml_provider_id, item?.sso_provider_id]).toEqual([undefined, 7_000_010])
  })

  test.each<Changes>([
    { U7: { saml: 5 }, 'M5.7': { expires_at: undefined } },
    { U7: { saml: 5 }, U8: { saml: 5 }, 'M5.8': {} },
    { U8: { saml: 5 }, 'M5.8': {}, P5: { affected_total: undefined, member_count: 2 } },
  ])('removes a link to a removed provider, whose list stays as it was: %j', async changes => {
    const s = await scenarioWith([[changes]])
    // Only without the link is the membership nobody's.
    expect((await repairAll(s)).faults).toHaveLength(1)
    expect(await repairAll(s)).toMatchObject({ faults: [] })
    const relinked = Object.keys(changes).filter(name => name.startsWith('U'))
    const users = Object.fromEntries(relinked.map(name => [name, { updated_at: expect.any(String) }]))
    const { P5 = {} } = changes
    expect(await s.items()).toEqual(inOrder(copied(changed(validTable, { ...users, P5 }), 0)))
  })
})

/** Removes a provider. @returns the listed ids */
async function removedIds({ data, clock }: DataScenario, found: ProviderRecord) {
  const newId = () => `removal ${found.resource.id}`
  const ports = { store: removalStore(data.table), clock, newId, retentionMs: 86_400_000 }
  const context = { requestedBy: 'test', log: () => {}, signal: never }
  const pages = await clock.moving(
    removeProvider(ports, found, context).then(affected => Array.fromAsync(affected.pages)),
  )
  return pages.flat().map(({ id }) => id)
}
