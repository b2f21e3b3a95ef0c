import { expect, test } from 'vitest'
import { membershipItem } from '../../../lib/store/items.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'
import { longestRetention } from '../verify/valid-table.ts'

const [provider = {}] = itemsOf([sampleProvider(7)], [])
test.each([
  ['creates with other values', { ...provider, display_name: 'Other' }],
  ['creates and removes', { ...provider, state: 'removing' }],
])('an import creates no provider that another writer %s meanwhile', async (_, other) => {
  const s = await scenario()
  const plan: Plan = async ({ operation, send }) => {
    if (operation === 'TransactWriteItems') await withoutPlan(() => s.put(other))
    return send()
  }
  const { result } = await withPlan(plan, () => s.import(ndjson(sampleProvider(7))))
  expect(result.faults).toEqual([
    '1: another writer has created the provider 7 with other values, or is changing it: run verify --repair, which corrects its memberships and count',
  ])
  expect(await s.items()).toEqual([other])
})

test('an import creates a provider beside memberships that no removal has left, and none beside one of a removal', async () => {
  const s = await scenario()
  const left = longestRetention(s.clock.nowMs())
  const ends = [left, left + 1000, '2030', undefined]
  const memberships = ends.map((expires_at, n) => ({
    ...membershipItem(n + 1, userId(1)),
    ...(expires_at !== undefined && { expires_at }),
  }))
  await s.put(...memberships)
  const { faults } = await s.import(ndjson(...ends.map((_, n) => sampleProvider(n + 1))))
  expect(faults).toEqual([
    '1: memberships are left of the provider 1, which was removed: its id cannot be used yet',
  ])
})

test('an import gives no provider the sso_provider_id of another one, unless that was removed', async () => {
  const s = await scenario()
  const [removing = {}] = itemsOf([sampleProvider(4, 40)], [])
  const [removed = {}] = itemsOf([sampleProvider(5, 50)], [])
  const active = [...[1, 2, 3].map(id => sampleProvider(id)), sampleProvider(6, 60)]
  await s.put({ ...removing, state: 'removing' }, { ...removed, state: 'removed' }, ...itemsOf(active, []))
  const wanted = [1, 2].map(id => sampleProvider(id, 70))
  const others = [sampleProvider(7, 60), sampleProvider(8, 80), sampleProvider(9, 80)]
  const users = [sampleUser(1, { sso: 60 }), sampleUser(2, { sso: 80 }), sampleUser(3, { saml: 8, sso: 80 })]
  const records = [...wanted, sampleProvider(3, 40), ...others, sampleProvider(10, 50), ...users]
  const { faults } = await s.import(ndjson(...records), { update: true })
  const fault = (line: number, sso: number, other: number) =>
    `${line}: the sso_provider_id ${sso} is also that of the provider ${other}`
  const absent = (id: number) => `the record of the provider ${id} is not in the table`
  expect(faults).toEqual([
    ...[fault(1, 70, 2), fault(2, 70, 1), fault(3, 40, 4)],
    `8: ${absent(7)}, and the link of the user to it would change`,
    `9: ${absent(8)}, and the link of the user to it would change`,
    `10: ${absent(8)}`,
    ...[fault(4, 60, 6), fault(5, 80, 9), fault(6, 80, 8)],
  ])
  const usable = (await s.items()).filter(({ state }) => state === 'active')
  expect(usable).toEqual(itemsOf([...active, sampleProvider(10, 50)], []))
})

test('an import gives a membership to a user in the table also when the record of the user is refused', async () => {
  const s = await scenario()
  const foreign = { PK: `CLIENT#${userId(2)}`, SK: 'USER', sso_provider_id: 70 }
  const stored = sampleUser(1, { sso: 70 })
  await s.put(...itemsOf([], [stored]), foreign)
  const refused = { ...sampleProvider(9), deleted_at: '2026-01-31T09:30:00Z' }
  const { faults } = await s.import(ndjson(sampleProvider(7, 70), refused, sampleUser(1, { saml: 9 })))
  expect(faults).toHaveLength(2)
  expect(await s.items()).toEqual([foreign, ...itemsOf([sampleProvider(7, 70)], [stored])])
})
