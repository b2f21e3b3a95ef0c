import { expect, test } from 'vitest'
import { providerKey } from '../../../lib/store/keys.ts'
import { int32, sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never } from '../scenario.ts'
import { expectFaults } from './expect-faults.ts'

const update = true

test('a link of a new user to a provider that is nowhere is a fault, and left out with --unlink', async () => {
  const users = [sampleUser(4, { saml: 7 }), sampleUser(5, { saml: 7, sso: 80 }), sampleUser(6, { saml: 8 })]
  const s = await filled([sampleProvider(8, 80)], [])
  const fault = expect.stringMatching(
    /^1: 2 users, .* provider 7, .* or add --unlink 7 to leave out the link$/,
  )
  await expectFaults(s, ndjson(...users), [fault], { update: false })
  await expectFaults(s, ndjson(...users), [fault], { unlink: [8] })
  const { told, sentences } = await s.import(ndjson(...users), { unlink: [7] })
  expect(told).toEqual([])
  expect(sentences.slice(2)).toEqual([
    '  provider 7 is in neither the table nor the input; left out: 2 links to it',
    '  provider 8: 2 users join, 0 leave',
  ])
  const without = users.map(user =>
    user.saml_provider_id.int32 === 7 ? { ...user, saml_provider_id: int32() } : user,
  )
  expect(await s.items()).toEqual(itemsOf([sampleProvider(8, 80)], without))
})

test('users in the table without a link lose nothing to a provider that is nowhere, others do', async () => {
  const providers = [sampleProvider(8)]
  const users = [sampleUser(1), sampleUser(2), sampleUser(3, { saml: 8 })]
  const s = await filled(providers, users)
  const before = await s.items()
  const linked = [1, 2, 3].map(n => sampleUser(n, { saml: 7 }))
  for (const update of [false, true]) {
    const { told, sentences } = await s.import(ndjson(...linked.slice(0, 2)), { update })
    expect(told).toEqual([])
    expect(sentences).toContain('  provider 7 is in neither the table nor the input; left out: 2 links to it')
  }
  await expectFaults(s, ndjson(...linked), [
    expect.stringMatching(/^3: 1 users, the first one here, .* provider 7, which is in neither/),
  ])
  const renamed = { ...sampleUser(1, { saml: 7 }), principal_name: 'new' }
  expect((await s.import(ndjson(renamed), { update })).told).toEqual([])
  expect((await s.import(ndjson(linked[0]), { update })).told).toEqual([])
  // Nobody is written.
  const { told } = await s.import(ndjson(...linked))
  expect(told).toEqual([expect.stringMatching(/^3: the table has other values, .*: saml_provider_id$/)])
  expect(await s.items()).toEqual(before)
})

test.each<[count: number, leaving: number, facts: object, counted?: string]>([
  [2, 2, {}],
  [4, 2, {}],
  [5, 3, {}, '3 of the 5'],
  [6, 3, {}, '3 of the 6'],
  [7, 3, {}],
  [21, 10, {}],
  [20, 10, {}, '10 of the 20'],
  [109, 11, {}, '11 of the 109'],
  [110, 11, {}],
  [30, 11, { member_count: 1000 }, '11 of the 30'],
  [25, 25, { member_count: 1000 }, '25 of the 25'],
  [200, 11, { member_count: 11 }, '11 of the 11'],
  [25, 25, { member_count: null }, '25 of the 25'],
])('of %i users of a provider %i leave it by an update, with %j', async (count, leaving, facts, counted) => {
  const providers = [sampleProvider(7), sampleProvider(8)]
  const users = sampleUsers(count, { saml: 7 })
  const s = await filled(providers, users)
  await s.put({ ...(await s.data.table.get(providerKey(7), never)), ...facts })
  const after = [...sampleUsers(leaving, { saml: 8 }), ...users.slice(leaving)]
  const records = ndjson(...after)
  const fault = `SAML_PROVIDERS PROVIDER#0000000007: ${counted} users of the provider 7 would leave it: if the source has deleted the provider, send the DELETE: its answer names them; else add --unlink 7`
  if (counted !== undefined) await expectFaults(s, records, [fault])
  const unlink = counted === undefined ? [] : [7]
  const { told, movesOf } = await s.import(records, { update, unlink })
  if (Object.keys(facts).length > 0) return
  expect([told, movesOf.get(7)]).toEqual([[], { join: 0, leave: leaving, leftOut: 0 }])
  expect(await s.items()).toEqual(itemsOf(providers, after))
})

test('nobody leaves a provider that is not in the input, if others are', async () => {
  const providers = [sampleProvider(7), sampleProvider(8)]
  const s = await filled(providers, sampleUsers(20, { saml: 7 }))
  const records = ndjson(sampleProvider(8), sampleUser(0, { saml: 8 }))
  await expectFaults(s, records, [
    expect.stringMatching(/: 1 of the 20 users of the provider 7 would leave it/),
  ])
  expect((await s.import(ndjson(sampleProvider(7)) + records, { update })).told).toEqual([])
  expect((await s.import(ndjson(sampleUser(1, { saml: 8 })), { update })).told).toEqual([])
})
