import { expect, test } from 'vitest'
import { providerKey } from '../../../lib/store/keys.ts'
import { int32, sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { filled, never } from '../scenario.ts'

const update = true
const providers = [sampleProvider(7), sampleProvider(8)]
const leftOut = '  provider 7 is in neither the table nor the input; left out: 2 links to it'

test('a link of a new user to a provider that is nowhere is left out only with --unlink', async () => {
  const users = [sampleUser(4, { saml: 7 }), sampleUser(5, { saml: 7, sso: 80 }), sampleUser(6, { saml: 8 })]
  const s = await filled([sampleProvider(8, 80)], [])
  const fault = expect.stringMatching(
    /^1: 2 users, .* provider 7, .* or add --unlink 7 to leave out the link$/,
  )
  await s.refuses(users, [fault], { update: false })
  await s.refuses(users, [fault], { unlink: [8] })
  const { sentences } = await s.accepts(users, { unlink: [7, 9] })
  expect(sentences.slice(2)).toEqual([leftOut, '  provider 8: 2 users join, 0 leave'])
  const [four, five, six] = users.map(user => ({ ...user, saml_provider_id: int32() }))
  await s.has([sampleProvider(8, 80)], [four, five, { ...six, saml_provider_id: int32(8) }] as typeof users)
})

test('users without a link lose nothing to a provider that is nowhere', async () => {
  const stored = [sampleUser(1), sampleUser(2), sampleUser(3, { saml: 8 })]
  const s = await filled(providers.slice(1), stored)
  const linked = sampleUsers(4, { saml: 7 }).slice(1)
  for (const update of [false, true]) {
    const { sentences } = await s.accepts(linked.slice(0, 2), { update })
    expect(sentences).toContain(leftOut)
  }
  const fault = /^3: 1 users, the first one here, .* provider 7, which is in neither/
  await s.refuses(linked, [expect.stringMatching(fault)])
  await s.accepts([{ ...linked[0], principal_name: 'new' }], { update })
  await s.accepts(linked.slice(0, 1), { update })
  // Without --update, nobody is written.
  const difference = /^3: the table has other values, .*: saml_provider_id$/
  expect((await s.import(linked)).told).toEqual([expect.stringMatching(difference)])
  await s.has(providers.slice(1), stored)
})

test.each<[count: number, leaving: number, facts: object, counted?: string]>([
  [2, 2, {}],
  [4, 2, {}],
  [6, 3, {}, '3 of the 6'],
  [7, 3, {}],
  [21, 10, {}],
  [109, 11, {}, '11 of the 109'],
  [110, 11, {}],
  [30, 11, { member_count: 1000 }, '11 of the 30'],
  [200, 11, { member_count: 11 }, '11 of the 11'],
  [25, 25, { member_count: null }, '25 of the 25'],
])('of %i users of a provider %i leave it by an update, with %j', async (count, leaving, facts, counted) => {
  const users = sampleUsers(count, { saml: 7 })
  const s = await filled(providers, users)
  await s.put({ ...(await s.data.table.get(providerKey(7), never)), ...facts })
  const after = [...sampleUsers(leaving, { saml: 8 }), ...users.slice(leaving)]
  const fault = `SAML_PROVIDERS PROVIDER#0000000007: ${counted} users of the provider 7 would leave it: if the source has deleted the provider, send the DELETE: its answer names them; else add --unlink 7`
  if (counted !== undefined) await s.refuses(after, [fault])
  if (Object.keys(facts).length > 0) return
  const { movesOf } = await s.accepts(after, { update, unlink: counted === undefined ? [] : [7] })
  expect(movesOf.get(7)).toEqual({ join: 0, leave: leaving, leftOut: 0 })
  await s.has(providers, after)
})

test('nobody leaves a provider that is not in the input, if others are', async () => {
  const s = await filled(providers, sampleUsers(20, { saml: 7 }))
  const records = [sampleProvider(8), sampleUser(0, { saml: 8 })]
  const fault = expect.stringMatching(/: 1 of the 20 users of the provider 7 would leave it/)
  await s.refuses(records, [fault], { unlink: [8] })
  await s.accepts([sampleProvider(7), ...records], { update })
  await s.accepts([sampleUser(1, { saml: 8 })], { update })
})
