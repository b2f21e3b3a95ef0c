import { describe, expect, test } from 'vitest'
import type { User } from '../../lib/domain/resources.ts'
import { providerItem, userItem } from '../../infra/data/table/items.ts'
import { userKey } from '../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { worldOf } from './scenario.ts'

describe('an uninterrupted removal', () => {
  test('answers with the members by id', async () => {
    const w = await world()
    const deleted = { deleted_at: { time: '2026-01-01T00:00:00.000Z', valid: true } }
    const members = (links: Links) => [
      sampleUser(1, links),
      { ...sampleUser(2, links), ...deleted },
      { ...sampleUser(3, links), is_disabled: true },
    ]
    const [moved, erased] = [4, 5].map(n => sampleUser(n, { saml: 7 })) as [User, User]
    await w.putProvider(sampleProvider(7), [moved, erased, ...members({ saml: 7 }).reverse()])
    await w.put(userItem(sampleUser(4, { saml: 8 })))
    await w.drop(userKey(erased.id))
    await w.putProvider(sampleProvider(8), [sampleUser(6, { saml: 8 })])
    w.clock.advance(1000)

    const answer = await w.remove(7)

    expect(answer.status).toBe(200)
    const updated_at = new Date(w.clock.nowMs()).toISOString()
    const unlinked = members({}).map(user => ({ ...user, updated_at }))
    expect(answer.json()).toEqual({ data: { affected_user: [...unlinked, sampleUser(4, { saml: 8 })] } })
    expect((await w.list()).json().data.saml_providers).toEqual([sampleProvider(8)])
  })

  test('clears only the matching links of each user', async () => {
    const links: { before: Links; after: Links }[] = [
      { before: { saml: 7 }, after: {} },
      { before: { sso: 70 }, after: {} },
      { before: { saml: 7, sso: 70 }, after: {} },
      { before: { saml: 7, sso: 80 }, after: { sso: 80 } },
      { before: { saml: 8, sso: 70 }, after: { saml: 8 } },
    ]
    const w = await world()
    await w.putProvider(
      sampleProvider(7, 70),
      links.map(({ before }, n) => sampleUser(n, before)),
    )
    const users = (await w.remove(7)).users()
    const updated_at = users[0]?.updated_at ?? expect.unreachable()
    expect(users).toEqual(links.map(({ after }, n) => ({ ...sampleUser(n, after), updated_at })))
    const stored = (await w.items()).filter(({ SK }) => SK === 'USER')
    expect(stored).toEqual(users.map(user => expect.objectContaining(userItem(user))))
  })

  test('is stored for its retention', async () => {
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

test.each<[string, unknown, number, boolean]>([
  ['right', 3, 0, false],
  ['less', 2, 0, true],
  ['more', 4, 8000, true],
  ['absent', undefined, 8000, true],
  ['malformed', '3', 8000, true],
])(
  'a removal whose member_count is %s lists all users: %j, %i ms, %j',
  async (_, member_count, tookMs, isLogged) => {
    const w = await worldOf(3)
    await w.put({ ...providerItem(sampleProvider(7), 3), member_count })
    const startMs = w.clock.nowMs()
    const { text, ids } = await w.remove(7)
    expect([ids(), w.clock.nowMs() - startMs]).toEqual([[0, 1, 2].map(userId), tookMs])
    const expected = typeof member_count === 'number' ? member_count : undefined
    const drift = expect.objectContaining({ provider_id: 7, expected, found: 3 })
    expect(w.loggedAs('membership_drift')).toEqual(isLogged ? [drift] : [])
    expect((await w.remove(7)).text).toBe(text)
  },
)
