import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { membershipItem } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../removal/faults.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf, ndjson, never, scenario } from '../scenario.ts'
import { longestRetention } from '../verify/valid-table.ts'

describe('an import', () => {
  test('creates no provider that another writer creates meanwhile', async () => {
    const s = await scenario()
    const other = { ...sampleProvider(7), display_name: 'Other' }
    const plan: Plan = async ({ operation, send }) => {
      if (operation === 'TransactWriteItems') await withoutPlan(() => s.put(...itemsOf([other], [])))
      return send()
    }
    const { result } = await withPlan(plan, () => s.import(ndjson(sampleProvider(7))))
    expect(result.faults).toEqual([
      '1: another writer has created the provider 7 with other values, or is changing it: run verify --repair, which corrects its memberships and count',
    ])
    expect(await s.items()).toEqual(itemsOf([other], []))
  })

  test('creates no provider whose id still has memberships of a removal', async () => {
    const s = await scenario()
    await s.put(membershipItem(7, userId(1), longestRetention(s.clock.nowMs())))
    const { faults } = await s.import(ndjson(sampleProvider(7)))
    expect(faults).toEqual([
      '1: memberships are left of the provider 7, which was removed: its id cannot be used yet',
    ])
  })

  test.each([4e9, '2030', undefined])(
    'creates a provider beside a membership that no removal has left: expires_at %j',
    async expires_at => {
      const s = await scenario()
      await s.put({ ...membershipItem(7, userId(1)), ...(expires_at !== undefined && { expires_at }) })
      expect((await s.import(ndjson(sampleProvider(7)))).faults).toEqual([])
    },
  )

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
      '2: the sso_provider_id 60 is also that of the provider 6',
      '3: the sso_provider_id 80 is also that of the provider 9',
      '4: the sso_provider_id 80 is also that of the provider 8',
      expect.stringContaining('8: saml_provider_id names the provider 8, which is neither'),
    ])
    const expected = itemsOf(
      [sampleProvider(6, 60), sampleProvider(10, 50)],
      [sampleUser(1, { sso: 60 }), sampleUser(2, { sso: 80 })],
    )
    expect((await s.items()).filter(({ state }) => state !== 'removed')).toEqual(expected)
  })

  test.each([
    [2, ndjson(sampleProvider(7), sampleUser(1, { saml: 7 }))],
    [4, ndjson(sampleProvider(7), sampleUser(1), sampleUser(2), sampleUser(3))],
    [0, ''],
  ])(
    'creates no provider when it reads another number of records than it has checked: %i for 3',
    async (now, changed) => {
      const s = await scenario()
      const text = ndjson(sampleProvider(7), sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 }))
      const importing = s.import(text, {}, never, (label, path) => {
        if (label === 'users') writeFileSync(path, changed)
      })
      await expect(importing).rejects.toThrow(
        `had 3 records when it was checked, and has ${now} now: run the same command again`,
      )
      expect(await s.data.table.get(providerKey(7), never)).toBeUndefined()
    },
  )
})
