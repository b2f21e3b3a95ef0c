import { expect, test } from 'vitest'
import { providerKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'
import { expectFaults } from './expect-faults.ts'

const update = true
const both = [1, 2].map(n => sampleUser(n, { saml: 7, sso: 70 }))

test('an update gives a provider its first sso_provider_id, and then its users', async () => {
  const s = await filled([sampleProvider(7)], [sampleUser(1, { saml: 7 }), ...both.slice(1), sampleUser(3)])
  const records = ndjson(sampleProvider(7, 70), ...both, sampleUser(3, { sso: 70 }))
  expect((await s.import(records)).told).toHaveLength(3)
  expect((await s.import(records, { update })).told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 70)], [...both, sampleUser(3, { sso: 70 })]))
})

test('a first sso_provider_id that would link users of the table is a fault, with the way out', async () => {
  const s = await filled(
    [sampleProvider(7), sampleProvider(8)],
    [sampleUser(1, { sso: 70 }), sampleUser(2, { saml: 8, sso: 70 })],
  )
  await expectFaults(s, ndjson(sampleProvider(7, 70), sampleProvider(8), ...both), [
    '1: 2 users in the table would become linked to the provider 7 by its first sso_provider_id: import these users with saml_provider_id 7 first, or set the attribute in the table, run verify --repair, and import again',
  ])
  // The way out.
  const users = both.map(({ sso_provider_id, ...user }) => user)
  expect((await s.import(ndjson(...users), { update })).told).toEqual([])
  expect((await s.import(ndjson(sampleProvider(7, 70), ...both), { update })).told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 70), sampleProvider(8)], both))
})

test.each([[71], [undefined]])(
  'an update does not change the sso_provider_id of an active provider to %s',
  async sso => {
    const s = await filled([sampleProvider(7, 70)], both)
    await expectFaults(s, ndjson(sampleProvider(7, sso)), [
      expect.stringMatching(
        /^1: an import does not change the sso_provider_id .* run verify --repair, and import again$/,
      ),
    ])
    expect((await s.import(ndjson(sampleProvider(7, sso)))).told).toEqual([
      '1: the table has other values, which --update changes: sso_provider_id',
    ])
  },
)

test('a provider that gets another first sso_provider_id meanwhile keeps it, and no user is written', async () => {
  const s = await filled([sampleProvider(7)], [])
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'TransactWriteItems') {
      const stored = await withoutPlan(() => s.data.table.get(providerKey(7), never))
      await withoutPlan(() => s.put({ ...stored, sso_provider_id: 71 }))
    }
    return send()
  }
  const importing = withPlan(plan, () => s.import(ndjson(sampleProvider(7, 70), ...both), { update }))
  await expect(importing).rejects.toThrow('No user was written, because another writer has changed')
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 71)], []))
})

test('a provider that is still importing takes another sso_provider_id, and the memberships follow it', async () => {
  const s = await scenario()
  const old = [sampleUser(1, { sso: 70 }), sampleUser(2, { sso: 70 }), sampleUser(3, { sso: 71 })]
  const interrupted = itemsOf([sampleProvider(7, 70)], old)
  await s.put(...interrupted.map(item => (item.state ? { ...item, state: 'importing' } : item)))
  const records = ndjson(sampleProvider(7, 71), sampleUser(1, { sso: 71 }))
  for (const again of [1, 2]) expect((await s.import(records, { update: true })).told, `${again}`).toEqual([])
  expect(await s.items()).toEqual(
    itemsOf([sampleProvider(7, 71)], [sampleUser(1, { sso: 71 }), ...old.slice(1)]),
  )
})
