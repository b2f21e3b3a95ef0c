import { describe, expect, test } from 'vitest'
import { membershipItem, providerItem } from '../../../infra/data/table/items.ts'
import { providerKey, userKey } from '../../../lib/store/keys.ts'
import { type Plan, withoutPlan, withPlan } from '../../support/test-client.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf, never } from '../scenario.ts'
import { type Action, act, scenario } from './scenario.ts'

describe('a user', () => {
  test.each<[Links, Action, Links | undefined]>([
    [{}, ['link', 1, { saml: 7 }], { saml: 7 }],
    [{}, ['link', 1, { sso: 70 }], { sso: 70 }],
    [{}, ['link', 1, { saml: 7, sso: 70 }], { saml: 7, sso: 70 }],
    [{}, ['link', 1, { saml: 8, sso: 70 }], { saml: 8, sso: 70 }],
    [{}, ['link', 1, { sso: 99 }], { sso: 99 }],
    [{ saml: 7 }, ['move', 1, { saml: 8, sso: 70 }], { saml: 8, sso: 70 }],
    [{ saml: 7 }, ['move', 1, { saml: 7, sso: 99 }], { saml: 7, sso: 99 }],
    [{ saml: 7, sso: 70 }, ['unlink', 1, 7], {}],
    [{ saml: 7, sso: 99 }, ['unlink', 1, 7], { sso: 99 }],
    [{ saml: 8, sso: 70 }, ['unlink', 1, 7], { saml: 8 }],
    [{}, ['erase', 1], undefined],
    [{ saml: 8, sso: 70 }, ['erase', 1], undefined],
    [{ sso: 99 }, ['erase', 1], undefined],
  ])(
    'with %j, after %j, has %j, and exactly the counted memberships of these links',
    async (links, action, left) => {
      const s = await scenario([links, { saml: 7 }])
      const done = { link: 'linked', move: 'moved', unlink: 'unlinked', erase: 'erased', begin: undefined }
      expect(await act(s, action)).toBe(done[action[0]])
      const updated_at = new Date(s.clock.nowMs()).toISOString()
      const changed = left === undefined ? [] : [{ ...sampleUser(1, left), updated_at }]
      const providers = [sampleProvider(7, 70), sampleProvider(8)]
      expect(await s.items()).toEqual(itemsOf(providers, [...changed, sampleUser(2, { saml: 7 })]))
    },
  )

  test('is moved once when another writer moves the user between two reads', async () => {
    const s = await scenario([{ saml: 7 }])
    let reads = 0
    const plan: Plan = async ({ operation, send }) => {
      // The second one reads the memberships.
      if (operation === 'BatchGetItem' && ++reads === 2) await withoutPlan(() => s.move(1, { saml: 8 }))
      return send()
    }
    expect(await withPlan(plan, () => s.move(1, { saml: 8 }))).toBe('moved')
    expect(await s.members()).toMatchObject([
      { memberCount: 0 },
      { memberCount: 1, memberships: [userId(1)] },
    ])
  })

  test('whose items break the rules keeps a membership that was left, and can be unlinked and erased', async () => {
    const s = await scenario([{}, { saml: 8 }, {}])
    const stored = (n: number) => s.table.get(userKey(userId(n)), never)
    const left = membershipItem(7, userId(1))
    await s.put(
      { ...left, expires_at: 4e9 },
      { ...(await s.table.get(providerKey(7), never)), member_count: 1 },
      { ...(await stored(2)), saml_provider_id: 7 },
      { ...(await stored(3)), saml_provider_id: 'seven', sso_provider_id: 1.5 },
    )
    expect(await s.link(1, { saml: 7 })).toBe('linked')
    expect(await s.items()).toContainEqual(left)
    expect([await s.unlink(2, 7), await s.erase(3), await s.erase(3)]).toEqual([
      'unlinked',
      'erased',
      'user_not_found',
    ])
    expect(await s.members()).toMatchObject([
      { memberCount: 1, memberships: [userId(1)], linked: [userId(1)] },
      { memberCount: 1 },
    ])
  })
})

test.each(['removing', 'removed'])(
  'the memberships and the count of a provider in state %s do not change',
  async state => {
    const s = await scenario([{}, { saml: 7, sso: 70 }, { saml: 8, sso: 70 }])
    await s.put({ ...(await s.table.get(providerKey(7), never)), state })
    const before = await s.items()
    for (const links of [{ saml: 7 }, { sso: 70 }, { saml: 8, sso: 70 }])
      expect(await s.link(1, links)).toBe('provider_not_active')
    expect(await s.items()).toEqual(before)
    expect([await s.unlink(2, 7), await s.erase(3)]).toEqual(['unlinked', 'erased'])
    expect(await s.table.get(userKey(userId(3)), never)).toBeUndefined()
    expect(await s.members()).toMatchObject([
      { memberCount: 2, memberships: [userId(2), userId(3)], linked: [] },
      { memberCount: 0, memberships: [] },
    ])
  },
)

test('nobody is linked to a provider in state importing; membership and count follow who leaves it', async () => {
  const s = await scenario([{}, { saml: 7, sso: 70 }, { saml: 7 }])
  await s.put({ ...(await s.table.get(providerKey(7), never)), state: 'importing' })
  for (const links of [{ saml: 7 }, { sso: 70 }, { saml: 8, sso: 70 }])
    expect(await s.link(1, links)).toBe('provider_not_active')
  expect([await s.unlink(2, 7), await s.move(3, { saml: 8 })]).toEqual(['unlinked', 'moved'])
  expect(await s.members()).toMatchObject([
    { memberCount: 0, memberships: [] },
    { memberCount: 1, memberships: [userId(3)] },
  ])
})

test('a user is linked by an sso_provider_id that a removed provider has, too', async () => {
  const s = await scenario([{}])
  await s.put({ ...providerItem(sampleProvider(6, 70), 0), state: 'removed' })
  expect(await s.link(1, { sso: 70 })).toBe('linked')
  expect(await s.link(1, { sso: 70 })).toBe('already_linked')
})
