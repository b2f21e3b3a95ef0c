import { describe, expect, test } from 'vitest'
import { providerItem, userItem } from '../../lib/store/items.ts'
import { userKey } from '../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { linked, worldOf } from './scenario.ts'

describe('an uninterrupted removal', () => {
  test('answers with the unlinked users by id, and its provider is not listed any more', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(3, { saml: 7 }), sampleUser(1, { saml: 7 })])
    await w.putProvider(sampleProvider(8), [sampleUser(2, { saml: 8 })])
    w.clock.advance(1000)

    const answer = await w.remove(7)

    expect(answer.status).toBe(200)
    const at = new Date(w.clock.nowMs()).toISOString()
    expect(answer.json()).toEqual({
      data: { affected_user: [1, 3].map(n => ({ ...sampleUser(n), updated_at: at })) },
    })
    expect((await w.list()).json().data.saml_providers).toEqual([sampleProvider(8)])
  })

  test.each([0, 25, 26, 101])('of %i users unlinks and shows them all', async count => {
    const w = await worldOf(count)
    const users = (await w.remove(7)).users()
    expect(users.map(user => user.id)).toEqual(linked(count).map(user => user.id))
    expect(users.every(user => !user.saml_provider_id.valid)).toBe(true)
  })

  const links: [string, Links, Links][] = [
    ['only its id', { saml: 7 }, {}],
    ['only its SSO provider', { sso: 70 }, {}],
    ['both', { saml: 7, sso: 70 }, {}],
    ['its id, and to another SSO provider', { saml: 7, sso: 80 }, { sso: 80 }],
    ['its SSO provider, and to another SAML provider', { saml: 8, sso: 70 }, { saml: 8 }],
  ]
  test.each(links)(
    'of a user linked by %s clears the matching links and nothing else',
    async (_, before, after) => {
      const w = await world()
      await w.putProvider(sampleProvider(7, 70), [sampleUser(1, before)])
      const [user] = (await w.remove(7)).users()
      expect(user).toEqual({ ...sampleUser(1, after), updated_at: user?.updated_at })
      expect((await w.items()).find(item => item.PK === `USER#${userId(1)}`)).toMatchObject({
        ...userItem(sampleUser(1, after)),
        updated_at: user?.updated_at,
      })
    },
  )

  test('unlinks and shows a user who is marked as deleted, and one who is disabled', async () => {
    const w = await world()
    const deleted = { deleted_at: { time: '2026-01-01T00:00:00.000Z', valid: true } }
    const members = (links: Links) => [
      { ...sampleUser(1, links), ...deleted },
      { ...sampleUser(2, links), is_disabled: true },
    ]
    await w.putProvider(sampleProvider(7), members({ saml: 7 }))
    const shown = (await w.remove(7)).users()
    expect(shown).toEqual(members({}).map(user => ({ ...user, updated_at: shown[0]?.updated_at })))
  })

  test('keeps the link of a member who was linked elsewhere meanwhile, and shows that user', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    await w.put(userItem(sampleUser(1, { saml: 8 })))
    expect((await w.remove(7)).users()).toEqual([sampleUser(1, { saml: 8 })])
  })

  test('omits a user who was erased meanwhile', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 })])
    await w.drop(userKey(userId(2)))
    expect((await w.remove(7)).ids()).toEqual([userId(1)])
  })

  test('stores who removed the provider and when, and keeps the memberships as long as the provider', async () => {
    const w = await world({ RETENTION_DAYS: '3' })
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    const begunMs = w.clock.nowMs()
    await w.remove(7, { token: w.token({ sub: 'client-1' }) })
    const expiresAt = begunMs / 1000 + 3 * 86_400
    const items = await w.items()
    expect(await w.provider()).toMatchObject({
      state: 'removed',
      removed_by: 'client-1',
      removal_started_at: new Date(begunMs).toISOString(),
      removed_at: new Date(w.clock.nowMs()).toISOString(),
      expires_at: expiresAt,
    })
    expect(items.find(item => item.PK === 'SAML_PROVIDER#7')).toMatchObject({ expires_at: expiresAt })
  })
})

/** Removes a provider with three users whose item has this `member_count`. */
async function removedWith(member_count: unknown) {
  const w = await world()
  await w.putProvider(sampleProvider(7), linked(3))
  await w.put({ ...providerItem(sampleProvider(7), 3), member_count })
  const startMs = w.clock.nowMs()
  const answer = await w.remove(7)
  const drift = w.loggedAs('membership_drift')
  return {
    ids: answer.ids(),
    tookMs: w.clock.nowMs() - startMs,
    drift,
    again: (await w.remove(7)).text === answer.text,
  }
}
const ids = [0, 1, 2].map(userId)

describe('a removal lists all three users, and logs the drift,', () => {
  test.each<[string, unknown, number]>([
    ['at once when member_count is less', 2, 0],
    ['after four seconds when member_count is more', 4, 4000],
    ['after four seconds when member_count is absent', undefined, 4000],
    ['after four seconds when member_count is malformed', '3', 4000],
  ])('%s', async (_, count, tookMs) => {
    const removed = await removedWith(count)
    expect(removed).toMatchObject({ ids, tookMs, again: true })
    const expected = typeof count === 'number' ? count : undefined
    expect(removed.drift[0]).toMatchObject({ provider_id: 7, expected, found: 3 })
  })
})

test('a removal whose member_count is right logs no drift', async () => {
  expect(await removedWith(3)).toEqual({ ids, tookMs: 0, drift: [], again: true })
})
