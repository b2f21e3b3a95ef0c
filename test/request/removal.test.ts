import { expect, test } from 'vitest'
import type { User } from '../../lib/domain/resources.ts'
import { providerItem, userItem } from '../../infra/data/table/encoding.ts'
import { userKey } from '../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { worldOf } from './scenario.ts'

test('a removal answers with the members by id', async () => {
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

test('a removal is stored for its retention, whatever is left of an older one', async () => {
  const w = await world({ RETENTION_DAYS: '3' })
  await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
  const old = {
    removal_id: 5,
    removal_started_at: 'x',
    removed_by: 'old',
    retained_until: 'x',
    removed_at: 'x',
  }
  await w.put({ ...(await w.provider()), ...old, expires_at: 5, affected_total: 5 })
  const beganMs = w.clock.nowMs()
  await w.remove(7, { token: w.token({ sub: 'client-1' }) })
  const end = beganMs / 1000 + 3 * 86_400
  expect(await w.provider()).toMatchObject({
    state: 'removed',
    removal_id: expect.stringMatching(/^[\da-f-]{36}$/),
    removed_by: 'client-1',
    removal_started_at: new Date(beganMs).toISOString(),
    removed_at: new Date(w.clock.nowMs()).toISOString(),
    ...{ retained_until: end, expires_at: end, affected_total: 1 },
  })
  expect((await w.items()).find(({ PK }) => PK === 'SAML_PROVIDER#7')).toMatchObject({ expires_at: end })
})

test.each<[string, unknown, number, boolean]>([
  ['right', 3, 0, false],
  ['less', 2, 0, true],
  ['more', 4, 8600, true],
  ['absent', undefined, 8600, true],
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
