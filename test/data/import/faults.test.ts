import { expect, test } from 'vitest'
import { providerKey } from '../../../lib/store/keys.ts'
import { membershipItem } from '../../../lib/store/items.ts'
import { int32, sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { type DataScenario, filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'

const update = true
const stored = [sampleProvider(7, 70), sampleProvider(9)]
const good = sampleProvider(8)
const others = ndjson(sampleUser(20), sampleUser(21, { saml: 7 }))

/** Expects that an import tells these faults and writes nothing, and that a dry run tells the same. */
async function expectFaults(s: DataScenario, text: string, faults: unknown[], options = {}) {
  const before = await s.items()
  for (const dryRun of [true, false]) {
    const { told, hasFaults } = await s.import(text, { update, dryRun, ...options })
    // A dry run tells what an update would change, too.
    const others = told.filter(line => !line.includes('--update changes'))
    expect([others, hasFaults]).toEqual([faults, true])
    expect(await s.items()).toEqual(before)
  }
}

test.each<[string, string, RegExp]>([
  ['a provider with an id that is a text', ndjson({ ...good, id: '8' }), /^1: id must be a whole number/],
  ['a line that is no JSON', 'nonsense\n', /^1: the line is not JSON/],
  ['a user with a wrong field', ndjson({ ...sampleUser(1), is_disabled: 1 }), /^1: is_disabled must be true/],
  ['a deleted provider', ndjson({ ...good, deleted_at: '2026-01-31T09:30:00Z' }), /^1: deleted_at is set/],
  ['a provider twice', ndjson(good, good), /^2: the provider 8 is already in .*:1$/],
  ['a user twice', ndjson(sampleUser(1), sampleUser(1)), /^2: the user .* is already in .*:1$/],
  ['another sso_provider_id', ndjson(sampleProvider(7, 71)), /^1: the sso_provider_id differs/],
  [
    'a first sso_provider_id',
    ndjson(sampleProvider(9, 90)),
    /^1: the sso_provider_id differs .* verify --repair/,
  ],
  ['no sso_provider_id any more', ndjson(sampleProvider(7)), /^1: the sso_provider_id differs/],
  [
    'a name in the table',
    ndjson({ ...good, name: 'provider-7' }),
    /^1: the name .* is that of the provider 7$/,
  ],
  [
    'an sso_provider_id in the table',
    ndjson(sampleProvider(8, 70)),
    /^1: the sso_provider_id 70 .* provider 7$/,
  ],
])('an import with %s writes nothing', async (_, text, fault) => {
  await expectFaults(await filled(stored, []), text + others, [expect.stringMatching(fault)])
})

test('an import tells all faults at once, and none that only follows from another one', async () => {
  const s = await filled(stored, [])
  const [renamed, twice] = [{ ...sampleProvider(9), name: 'provider-7' }, sampleProvider(10, 70)]
  const faulty = { ...good, name: 5 }
  const users = [sampleUser(1, { saml: 8 }), sampleUser(2, { saml: 5 }), sampleUser(3, { saml: 5 })]
  await expectFaults(s, ndjson(renamed, twice, faulty, twice, ...users), [
    '3: name must be text, and is a number',
    expect.stringMatching(/^4: the provider 10 is already in .*:2$/),
    '1: the name "provider-7" is that of the provider 7',
    '2: the sso_provider_id 70 is also that of the provider 7',
    expect.stringMatching(
      /^6: 2 users, the first one here, have a link to the provider 5, which is in neither/,
    ),
  ])
})

test('two new providers with one sso_provider_id are two faults', async () => {
  const s = await scenario()
  const fault = (line: number, other: number) =>
    `${line}: the sso_provider_id 80 is also that of the provider ${other}`
  await expectFaults(s, ndjson(sampleProvider(8, 80), sampleProvider(9, 80)), [fault(1, 9), fault(2, 8)])
})

test('an import takes the sso_provider_id of a removed provider, and not of one in removal', async () => {
  const s = await scenario()
  const [removing, removed] = itemsOf([sampleProvider(4, 40), sampleProvider(5, 50)], [])
  await s.put({ ...removing, state: 'removing' }, { ...removed, state: 'removed' })
  await expectFaults(s, ndjson(sampleProvider(6, 40)), [
    expect.stringMatching(/also that of the provider 4$/),
  ])
  expect((await s.import(ndjson(sampleProvider(6, 50)))).told).toEqual([])
})

test('while the state of a provider in the table is unknown, an import writes nothing', async () => {
  const s = await filled(stored, [])
  await s.put({ ...(await s.data.table.get(providerKey(7), never)), state: 'Active' })
  const fault = 'SAML_PROVIDERS PROVIDER#0000000007: the state of the provider 7 is unknown: see verify'
  await expectFaults(s, ndjson(sampleUser(1)), [fault])
})

test('an import creates no provider beside memberships of a removal, and counts those of no removal', async () => {
  const s = await scenario()
  const [marked, lasting] = [membershipItem(1, userId(1)), membershipItem(2, userId(1))]
  await s.put({ ...marked, expires_at: 4e9 }, lasting)
  await expectFaults(s, ndjson(sampleProvider(1)), [
    expect.stringMatching(/^1: memberships are left of the provider 1, which was removed/),
  ])
  expect((await s.import(ndjson(sampleProvider(2)))).told).toEqual([])
  expect(await s.data.table.get(providerKey(2), never)).toMatchObject({ state: 'active', member_count: 1 })
})

test('a link to a provider that is nowhere is a fault, and left out with --unlink', async () => {
  const users = [sampleUser(4, { saml: 7 }), sampleUser(5, { saml: 7, sso: 80 }), sampleUser(6, { saml: 8 })]
  const s = await filled([sampleProvider(8, 80)], [])
  const fault = expect.stringMatching(
    /^1: 2 users, .* provider 7, .* or add --unlink 7 to leave out the link$/,
  )
  await expectFaults(s, ndjson(...users), [fault], { update: false })
  await expectFaults(s, ndjson(...users), [fault], { unlink: [8] })
  const { told, movesOf } = await s.import(ndjson(...users), { unlink: [7] })
  expect(told).toEqual([])
  expect([...movesOf]).toEqual([
    [7, { join: 0, leave: 0, leftOut: 2 }],
    [8, { join: 2, leave: 0, leftOut: 0 }],
  ])
  const without = users.map(user =>
    user.saml_provider_id.int32 === 7 ? { ...user, saml_provider_id: int32() } : user,
  )
  expect(await s.items()).toEqual(itemsOf([sampleProvider(8, 80)], without))
})

test.each<[count: number, leaving: number, facts: object, counted?: string]>([
  [2, 2, {}],
  [3, 3, {}, '3 of the 3'],
  [9, 9, {}, '9 of the 9'],
  [11, 10, {}],
  [109, 11, {}, '11 of the 109'],
  [110, 11, {}],
  [30, 11, { member_count: 1000 }, '11 of the 30'],
  [25, 25, { member_count: 1000 }, '25 of the 25'],
  [200, 11, { member_count: 11 }, '11 of the 11'],
  [25, 25, { member_count: null }, '25 of the 25'],
])('of %i users of a provider %i leave it by an update, with %j', async (count, leaving, facts, counted) => {
  const users = sampleUsers(count, { saml: 7 })
  const s = await filled([sampleProvider(7), sampleProvider(8)], users)
  await s.put({ ...(await s.data.table.get(providerKey(7), never)), ...facts })
  const after = [...sampleUsers(leaving, { saml: 8 }), ...users.slice(leaving)]
  const fault = `SAML_PROVIDERS PROVIDER#0000000007: ${counted} users of the provider 7 would leave it: if that is right, add --unlink 7`
  if (counted !== undefined) await expectFaults(s, ndjson(...after), [fault])
  const unlink = counted === undefined ? [] : [7]
  const { told, movesOf } = await s.import(ndjson(...after), { update, unlink })
  if (Object.keys(facts).length > 0) return
  expect([told, movesOf.get(7)]).toEqual([[], { join: 0, leave: leaving, leftOut: 0 }])
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7), sampleProvider(8)], after))
})
