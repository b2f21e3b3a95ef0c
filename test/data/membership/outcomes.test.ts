import { describe, expect, test } from 'vitest'
import type { Links } from '../../support/samples.ts'
import { userId } from '../../support/samples.ts'
import { userKey } from '../../../lib/store/keys.ts'
import { laterAt, never, scenario } from './scenario.ts'

describe('linking', () => {
  test.each<[string, Links, number[]]>([
    ['by the SAML provider id', { saml: 7 }, [7]],
    ['by the SSO provider id', { sso: 70 }, [7]],
    ['by both', { saml: 7, sso: 70 }, [7]],
    ['without an SSO provider id', { saml: 8 }, [8]],
    ['by the SAML provider id, and to an SSO provider of another protocol', { saml: 8, sso: 99 }, [8]],
    ['by each id to another one', { saml: 8, sso: 70 }, [7, 8]],
    ['only to an SSO provider of another protocol', { sso: 99 }, []],
  ])('%s creates exactly its memberships, and counts them', async (_, links, linkedIds) => {
    const s = await scenario([{}])
    expect(await s.link(1, links)).toBe('linked')
    expect(await s.members()).toMatchObject(
      [7, 8].map(id => ({
        id,
        memberCount: linkedIds.includes(id) ? 1 : 0,
        memberships: linkedIds.includes(id) ? [userId(1)] : [],
        linked: linkedIds.includes(id) ? [userId(1)] : [],
      })),
    )
    expect(await s.table.get(userKey(userId(1)), never)).toMatchObject({ updated_at: laterAt })
  })

  test.each<[string, Links, number, Links]>([
    ['user_not_found', {}, 2, { saml: 7 }],
    ['already_linked', { saml: 7 }, 1, { saml: 8 }],
    ['already_linked', { saml: 7 }, 1, { saml: 7 }],
    ['already_linked', { sso: 99 }, 1, { saml: 7 }],
    ['provider_not_found', {}, 1, { saml: 9 }],
    ['provider_not_found', {}, 1, { saml: 9, sso: 70 }],
  ])('is refused as %s and changes nothing', async (outcome, links, n, requested) => {
    const s = await scenario([links])
    const before = await s.items()
    expect(await s.link(n, requested)).toBe(outcome)
    expect(await s.items()).toEqual(before)
  })

  test.each(['removing', 'removed'] as const)('is refused for a provider in state %s', async state => {
    const s = await scenario([{}])
    await s.setState(7, state)
    const before = await s.items()
    for (const links of [{ saml: 7 }, { sso: 70 }, { saml: 8, sso: 70 }])
      expect(await s.link(1, links)).toBe('provider_not_active')
    expect(await s.items()).toEqual(before)
  })

  test('is refused when a membership of an earlier link exists', async () => {
    const s = await scenario([{}])
    await s.put({ PK: 'SAML_PROVIDER#7', SK: `USER#${userId(1)}` })
    const before = await s.items()
    expect(await s.link(1, { saml: 7 })).toBe('already_linked')
    expect(await s.items()).toEqual(before)
  })
})

describe('unlinking', () => {
  test.each<[Links, Links]>([
    [{ saml: 7 }, {}],
    [{ sso: 70 }, {}],
    [{ saml: 7, sso: 70 }, {}],
    [{ saml: 7, sso: 99 }, { sso: 99 }],
    [{ saml: 8, sso: 70 }, { saml: 8 }],
  ])('a user with %j leaves %j and the other attributes, and deletes the membership', async (links, left) => {
    const s = await scenario([links, { saml: 7 }])
    const before = await s.table.get(userKey(userId(1)), never)
    expect(await s.unlink(1, 7)).toBe('unlinked')
    const { saml_provider_id, sso_provider_id, ...rest } = before ?? {}
    expect(await s.table.get(userKey(userId(1)), never)).toEqual({
      ...rest,
      ...(left.saml !== undefined && { saml_provider_id: left.saml }),
      ...(left.sso !== undefined && { sso_provider_id: left.sso }),
      updated_at: laterAt,
    })
    const seven = { id: 7, memberCount: 1, memberships: [userId(2)], linked: [userId(2)] }
    expect(await s.members()).toMatchObject([seven, { id: 8, memberCount: left.saml === 8 ? 1 : 0 }])
  })

  test.each<[string, Links, number, number]>([
    ['user_not_found', {}, 2, 7],
    ['provider_not_found', { saml: 7 }, 1, 9],
    ['not_linked', {}, 1, 7],
    ['not_linked', { saml: 8 }, 1, 7],
    ['not_linked', { sso: 99 }, 1, 8],
  ])('is refused as %s and changes nothing', async (outcome, links, n, providerId) => {
    const s = await scenario([links])
    const before = await s.items()
    expect(await s.unlink(n, providerId)).toBe(outcome)
    expect(await s.items()).toEqual(before)
  })

  test.each(['removing', 'removed'] as const)(
    'does not change membership and count of a provider in state %s',
    async state => {
      const s = await scenario([{ saml: 7, sso: 70 }])
      await s.setState(7, state)
      expect(await s.unlink(1, 7)).toBe('unlinked')
      expect(await s.members()).toMatchObject([{ memberCount: 1, memberships: [userId(1)], linked: [] }, {}])
    },
  )

  test('a user without a membership does not change the count', async () => {
    const s = await scenario([{ saml: 8 }])
    await s.put({ ...(await s.table.get(userKey(userId(1)), never)), saml_provider_id: 7 })
    expect(await s.unlink(1, 7)).toBe('unlinked')
    expect(await s.members()).toMatchObject([{ memberCount: 0, linked: [] }, { memberCount: 1 }])
  })
})

describe('erasing', () => {
  test.each<Links>([{}, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8, sso: 70 }, { sso: 99 }])(
    'a user with %j deletes all items of the user',
    async links => {
      const s = await scenario([links])
      expect(await s.erase(1)).toBe('erased')
      expect(JSON.stringify(await s.items())).not.toContain(userId(1))
      expect(await s.members()).toMatchObject([{ memberCount: 0 }, { memberCount: 0 }])
    },
  )

  test.each(['removing', 'removed'] as const)(
    'does not change membership and count of a provider in state %s',
    async state => {
      const s = await scenario([{ saml: 8, sso: 70 }])
      await s.setState(7, state)
      expect(await s.erase(1)).toBe('erased')
      expect(await s.table.get(userKey(userId(1)), never)).toBeUndefined()
      expect(await s.members()).toMatchObject([
        { memberCount: 1, memberships: [userId(1)] },
        { memberCount: 0, memberships: [] },
      ])
    },
  )

  test('a user with malformed links succeeds', async () => {
    const s = await scenario([{}])
    const user = await s.table.get(userKey(userId(1)), never)
    await s.put({ ...user, saml_provider_id: 'seven', sso_provider_id: 1.5 })
    expect(await s.erase(1)).toBe('erased')
    expect(await s.erase(1)).toBe('user_not_found')
  })
})
