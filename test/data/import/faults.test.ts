import { expect, test } from 'vitest'
import { providerKey } from '../../../lib/store/keys.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'
import { expectFaults } from './expect-faults.ts'

const stored = [sampleProvider(7, 70), sampleProvider(9)]
const good = sampleProvider(8)
const named = (id: number, name: string) => ({ ...sampleProvider(id), name })
const others = ndjson(sampleUser(20), sampleUser(21, { saml: 7 }))

test.each<[string, string, RegExp]>([
  ['a provider with an id that is a text', ndjson({ ...good, id: '8' }), /^1: id must be a whole number/],
  ['a line that is no JSON', 'nonsense\n', /^1: the line is not JSON/],
  ['a user with a wrong field', ndjson({ ...sampleUser(1), is_disabled: 1 }), /^1: is_disabled must be true/],
  ['a deleted provider', ndjson({ ...good, deleted_at: '2026-01-31T09:30:00Z' }), /^1: deleted_at is set/],
  ['a provider twice', ndjson(good, good), /^2: the provider 8 is already in .*:1$/],
  ['a user twice', ndjson(sampleUser(1), sampleUser(1)), /^2: the user .* is already in .*:1$/],
  ['a name in the table', ndjson(named(8, 'provider-7')), /^1: the name .* is that of the provider 7$/],
  ['an sso_provider_id there', ndjson(sampleProvider(8, 70)), /^1: the sso_provider_id 70 .* provider 7$/],
])('an import with %s writes nothing', async (_, text, fault) => {
  await expectFaults(await filled(stored, []), text + others, [expect.stringMatching(fault)])
})

test('an import tells all faults at once, and none that only follows from another one', async () => {
  const s = await filled(stored, [])
  const [renamed, twice] = [named(9, 'provider-7'), sampleProvider(10, 70)]
  const faulty = { ...good, name: 5 }
  const users = [sampleUser(1, { saml: 8 }), sampleUser(2, { saml: 5 }), sampleUser(3, { saml: 5 })]
  await expectFaults(s, ndjson(renamed, twice, faulty, twice, ...users), [
    '3: name must be text, and is a number',
    expect.stringMatching(/^4: the provider 10 is already in .*:2$/),
    expect.stringMatching(/^6: 2 users, the first one here, have a link to the provider 5, which is/),
    '1: the name "provider-7" is that of the provider 7',
    '2: the sso_provider_id 70 is also that of the provider 7',
  ])
})

test('names and sso_provider_ids are compared as they are after the import', async () => {
  const s = await filled([named(11, 'one'), named(12, 'two')], [])
  const swapped = [named(11, 'two'), named(12, 'one')]
  expect((await s.import(ndjson(...swapped), { update: true })).told).toEqual([])
  const freed = [named(11, 'free'), named(13, 'two')]
  expect((await s.import(ndjson(...freed), { update: true })).told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([named(11, 'free'), named(12, 'one'), named(13, 'two')], []))
  await expectFaults(s, ndjson(named(11, 'both'), named(12, 'both')), [
    '1: the name "both" is that of the provider 12',
    '2: the name "both" is that of the provider 11',
  ])
})

test('an update of a provider whose record does not mention its sso_provider_id keeps it', async () => {
  const s = await filled(stored, [])
  const { sso_provider_id, ...renamed } = named(7, 'new')
  await expectFaults(s, ndjson(renamed, sampleProvider(8, 70)), [
    '2: the sso_provider_id 70 is also that of the provider 7',
  ])
  expect((await s.import(ndjson(renamed), { update: true })).told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([{ ...sampleProvider(7, 70), name: 'new' }, sampleProvider(9)], []))
})

test('two new providers with one sso_provider_id are two faults', async () => {
  const s = await scenario()
  const fault = (line: number, other: number) =>
    `${line}: the sso_provider_id 80 is also that of the provider ${other}`
  await expectFaults(s, ndjson(sampleProvider(8, 80), sampleProvider(9, 80)), [fault(1, 9), fault(2, 8)])
})

test('a new provider may have the name of one in removal, and both values of a removed one', async () => {
  const s = await scenario()
  const [removing, removed] = itemsOf([sampleProvider(4, 40), sampleProvider(5, 50)], [])
  await s.put({ ...removing, state: 'removing' }, { ...removed, state: 'removed' })
  await expectFaults(s, ndjson(sampleProvider(6, 40)), [
    expect.stringMatching(/also that of the provider 4$/),
  ])
  const successors = [named(6, 'provider-4'), { ...sampleProvider(7, 50), name: 'provider-5' }]
  expect((await s.import(ndjson(...successors))).told).toEqual([])
})

test('while the state of a provider in the table is unknown, an import writes nothing', async () => {
  const s = await filled(stored, [])
  await s.put({ ...(await s.data.table.get(providerKey(7), never)), state: 'Active' })
  const fault = 'SAML_PROVIDERS PROVIDER#0000000007: the state of the provider 7 is unknown: see verify'
  await expectFaults(s, ndjson(sampleUser(1)), [fault])
})
