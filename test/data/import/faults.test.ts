import { expect, test } from 'vitest'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { before, filled, inState, itemsOf, ndjson, scenario } from '../scenario.ts'
import { withPlan } from '../../support/test-client.ts'

const update = true
const stored = [sampleProvider(7, 70), sampleProvider(9)]
const named = (id: number, name: string) => ({ ...sampleProvider(id), name })

test('an import tells all faults at once and none that only follows from another one', async () => {
  const s = await filled(stored, [])
  const twice = sampleProvider(10, 70)
  const faulty = { ...sampleProvider(8), name: 5, sp_acs_uri: 6 }
  const users = [{ saml: 8 }, { saml: 5 }, { saml: 5 }].map((links, n) => sampleUser(n, links))
  const good = [sampleUser(20), sampleUser(21, { saml: 7 })]
  const records = ndjson(named(9, 'provider-7'), twice, faulty, twice, ...users, users[0], ...good)
  await s.refuses(`${records}nonsense\n`, [
    '3: name must be text, and is a number; sp_acs_uri must be text, and is a number',
    expect.stringMatching(/^4: the provider 10 is already in .*:2$/),
    expect.stringMatching(/^8: the user .* is already in .*:5$/),
    expect.stringMatching(/^11: the line is not JSON/),
    expect.stringMatching(/^6: 2 users, the first one here, have a link to the provider 5, which is/),
    '1: the name "provider-7" is that of the provider 7',
    '2: the sso_provider_id 70 is also that of the provider 7',
  ])
})

test('names are compared as they are after the import', async () => {
  const s = await filled([named(11, 'one'), named(12, 'two')], [])
  await s.accepts([named(11, 'two'), named(12, 'one')], { update })
  await s.accepts([named(11, 'free'), named(13, 'two')], { update })
  await s.has([named(11, 'free'), named(12, 'one'), named(13, 'two')], [])
  // The first one is updated and the other is new, or both are.
  for (const [id, other] of [
    [11, 14],
    [15, 16],
  ] as const)
    await s.refuses(
      [named(id, 'both'), named(other, 'both')],
      [
        `1: the name "both" is that of the provider ${other}`,
        `2: the name "both" is that of the provider ${id}`,
      ],
    )
})

test('an update of a provider whose record does not mention its sso_provider_id keeps it', async () => {
  const s = await filled(stored, [])
  const { sso_provider_id, ...renamed } = named(7, 'new')
  const fault = '2: the sso_provider_id 70 is also that of the provider 7'
  await s.refuses([renamed, sampleProvider(8, 70)], [fault])
  await s.accepts([renamed], { update })
  await s.has([{ ...sampleProvider(7, 70), name: 'new' }, sampleProvider(9)], [])
})

test('a new provider may have the name of one in removal and both values of a removed one', async () => {
  const s = await scenario()
  await s.put(...inState('removing', itemsOf([sampleProvider(4, 40)], [])))
  await s.put(...inState('removed', itemsOf([sampleProvider(5, 50)], [])))
  await s.refuses([sampleProvider(6, 40)], [expect.stringMatching(/also that of the provider 4$/)])
  await s.accepts([named(6, 'provider-4'), { ...sampleProvider(7, 50), name: 'provider-5' }])
})

test('an import writes nothing while the state of a provider is unknown', async () => {
  const s = await filled(stored, [])
  await s.put(...inState('Active', itemsOf(stored.slice(0, 1), [])))
  const fault = 'SAML_PROVIDERS PROVIDER#0000000007: the state of the provider 7 is unknown: see verify'
  await s.refuses([sampleUser(1)], [fault])
})

const both = [1, 2].map(n => sampleUser(n, { saml: 7, sso: 70 }))

test('an update gives a provider its first sso_provider_id before its users', async () => {
  const s = await filled([sampleProvider(7)], [sampleUser(1, { saml: 7 }), ...both.slice(1), sampleUser(3)])
  const records = [sampleProvider(7, 70), ...both, sampleUser(3, { sso: 70 })]
  expect((await s.import(records)).told).toHaveLength(3)
  await s.accepts(records, { update })
  await s.has([sampleProvider(7, 70)], [...both, sampleUser(3, { sso: 70 })])
})

test('a first sso_provider_id that would link users of the table is a fault with a way out', async () => {
  const providers = [sampleProvider(7), sampleProvider(8)]
  const s = await filled(providers, [sampleUser(1, { saml: 8, sso: 70 }), ...both.slice(1)])
  await s.refuses(
    [sampleProvider(7, 70), sampleProvider(8), ...both],
    [
      '1: 1 users in the table would become linked to the provider 7 by its first sso_provider_id: import these users with saml_provider_id 7 first, or set the attribute in the table, run verify --repair, and import again',
    ],
  )
  const users = both.map(({ sso_provider_id, ...user }) => user)
  await s.accepts(users, { update })
  await s.accepts([sampleProvider(7, 70), ...both], { update })
  await s.has([sampleProvider(7, 70), sampleProvider(8)], both)
})

test.each([[71], [undefined]])('the sso_provider_id of an active provider does not become %s', async sso => {
  const s = await filled([sampleProvider(7, 70)], both)
  const fault = /^1: an import does not change the sso_provider_id .* run verify --repair, and import again$/
  await s.refuses([sampleProvider(7, sso)], [expect.stringMatching(fault)])
  expect((await s.import([sampleProvider(7, sso)])).told).toEqual([
    '1: the table has other values, which --update changes: sso_provider_id',
  ])
})

test('no user is written when a provider gets another first sso_provider_id meanwhile', async () => {
  const s = await filled([sampleProvider(7)], [])
  const other = itemsOf([sampleProvider(7, 71)], [])
  const rival = before('TransactWriteItems', () => s.put(...other))
  const importing = withPlan(rival, () => s.import([sampleProvider(7, 70), ...both], { update }))
  await expect(importing).rejects.toThrow('No user was written, because another writer has changed')
  expect(await s.items()).toEqual(other)
})

test('the memberships of an importing provider follow its new sso_provider_id', async () => {
  const s = await scenario()
  const old = [sampleUser(1, { sso: 70 }), sampleUser(2, { sso: 70 }), sampleUser(3, { sso: 71 })]
  await s.put(...inState('importing', itemsOf([sampleProvider(7, 70)], old)))
  const moved = sampleUser(1, { sso: 71 })
  for (const _ of ['once', 'again']) await s.accepts([sampleProvider(7, 71), moved], { update })
  await s.has([sampleProvider(7, 71)], [moved, ...old.slice(1)])
})
