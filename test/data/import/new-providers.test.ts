import { describe, expect, test } from 'vitest'
import { membershipItem } from '../../../lib/store/items.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'
import { longestRetention } from '../verify/valid-table.ts'

describe('an import', () => {
  const [provider = {}] = itemsOf([sampleProvider(7)], [])
  test.each([
    ['creates with other values', { ...provider, display_name: 'Other' }],
    ['creates and removes', { ...provider, state: 'removing' }],
  ])('creates no provider that another writer %s meanwhile', async (_, other) => {
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

  test('creates no provider whose id still has memberships of a removal, but beside others', async () => {
    const left = '1: memberships are left of the provider 7, which was removed: its id cannot be used yet'
    const s = await scenario()
    const endings = [longestRetention(s.clock.nowMs()), 4e9, '2030', undefined]
    for (const expires_at of endings) {
      await s.put({ ...membershipItem(7, userId(1)), ...(expires_at !== undefined && { expires_at }) })
      const { faults } = await s.import(ndjson(sampleProvider(7)), { dryRun: true })
      expect(faults, `expires_at ${expires_at}`).toEqual(expires_at === endings[0] ? [left] : [])
    }
  })

  test('creates no provider with the SSO provider of another active one', async () => {
    const s = await scenario()
    const removed = { ...sampleProvider(5, 50), name: 'removed' }
    const [item, ...others] = itemsOf([removed, sampleProvider(6, 60)], [])
    await s.put({ ...item, state: 'removed' }, ...others)
    const { faults } = await s.import(
      ndjson(
        sampleProvider(6, 60),
        sampleProvider(7, 60),
        sampleProvider(8, 80),
        sampleProvider(9, 80),
        sampleProvider(10, 50),
        sampleUser(1, { sso: 60 }),
        sampleUser(2, { sso: 80 }),
        sampleUser(3, { saml: 8, sso: 80 }),
      ),
    )
    expect(faults).toEqual([
      '6: the record of the provider 7 is not in the table, and the link of the user to it would change',
      '7: the record of the provider 8 is not in the table, and the link of the user to it would change',
      '8: the record of the provider 8 is not in the table',
      '2: the sso_provider_id 60 is also that of the provider 6',
      '3: the sso_provider_id 80 is also that of the provider 9',
      '4: the sso_provider_id 80 is also that of the provider 8',
    ])
    const expected = itemsOf([sampleProvider(6, 60), sampleProvider(10, 50)], [])
    expect((await s.items()).filter(({ state }) => state !== 'removed')).toEqual(expected)
  })

  test('gives a membership to a user in the table also when the record of the user is refused', async () => {
    const s = await scenario()
    const foreign = { PK: `CLIENT#${userId(2)}`, SK: 'USER', sso_provider_id: 70 }
    await s.put(...itemsOf([], [sampleUser(1, { sso: 70 })]), foreign)
    const refused = { ...sampleProvider(9), deleted_at: '2026-01-31T09:30:00Z' }
    const { faults } = await s.import(ndjson(sampleProvider(7, 70), refused, sampleUser(1, { saml: 9 })))
    expect(faults).toEqual([
      expect.stringContaining('deleted_at'),
      '3: the record of the provider 9 is not in the table',
    ])
    expect(await s.items()).toEqual([
      foreign,
      ...itemsOf([sampleProvider(7, 70)], [sampleUser(1, { sso: 70 })]),
    ])
  })
})
