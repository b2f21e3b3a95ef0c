import { expect, test } from 'vitest'
import { userItem } from '../../infra/data/table/encoding.ts'
import type { Item } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { scopes, world } from '../support/world.ts'
import { accepts, expectRefusal, scopeMissing, untouched } from './scenario.ts'

const disabled = { is_disabled: true }

/** A UUID with this last group, in lower, upper and mixed case. */
const lower = (n: number) => `abcdef00-0000-4000-8000-0000000000${n < 10 ? '0' : ''}${n}`
const upper = (n: number) => lower(n).toUpperCase()
const mixed = (n: number) => lower(n).replace('f', 'F')

/** Stored attributes of users, by id. */
type Stored = Record<string, Item>
/** Stored users, and the subjects that are refused because of them. */
const refused: [name: string, stored: Stored, subjects: string[]][] = [
  ['who is disabled', { [lower(1)]: disabled }, [lower(1), mixed(1)]],
  ['who is deleted', { [lower(2)]: { deleted_at: '2026-01-01T00:00:00.000Z' } }, [lower(2)]],
  ['whose is_disabled is a text', { [lower(11)]: { is_disabled: 'true' } }, [lower(11)]],
  ['whose deleted_at is a number', { [lower(12)]: { deleted_at: 1_735_689_600 } }, [lower(12)]],
  ['whose deleted_at is no day', { [lower(13)]: { deleted_at: '2026-02-30T00:00:00.000Z' } }, [lower(13)]],
  ['whose link is a text', { [lower(14)]: { saml_provider_id: '7' } }, [lower(14)]],
  ['whose link is a fraction', { [lower(15)]: { sso_provider_id: 1.5 } }, [lower(15)]],
]
const owning: typeof refused = [
  ['by its id', { [lower(8)]: { saml_provider_id: 9 } }, [lower(8), upper(8)]],
  ['by its SSO provider', { [lower(16)]: { sso_provider_id: 90 } }, [lower(16)]],
  ['both ways', { [lower(17)]: { saml_provider_id: 9, sso_provider_id: 90 } }, [lower(17)]],
]
const zeroTime: Stored = {
  [lower(21)]: { deleted_at: '0001-01-01T00:00:00Z' },
  [lower(22)]: { deleted_at: '0001-01-01T00:00:00.000Z' },
}

const admitted = [userId(9), 'nightly-job', upper(4), ...Object.keys(zeroTime)]

const userWith = (id: string, attributes: Item) => ({ ...userItem({ ...sampleUser(1), id }), ...attributes })

const service = untouched({}, async w => {
  await w.putProvider(sampleProvider(9, 90))
  const stored = [...refused, ...owning].flatMap(([, users]) => Object.entries(users))
  await w.put(...[...stored, ...Object.entries(zeroTime)].map(([id, user]) => userWith(id, user)))
})

test.each(refused)('a caller %s is refused on both endpoints', async (_, __, subjects) => {
  for (const token of subjects.map(sub => service().token({ sub }))) {
    await expectRefusal(service().list({ token }), [403, 'caller_disabled'])
    await expectRefusal(service().remove(9, { token }), [403, 'caller_disabled'])
  }
})

test.each(owning)('a caller who is linked to the provider %s may not remove it', async (_, __, subjects) => {
  for (const token of subjects.map(sub => service().token({ sub }))) {
    await expectRefusal(service().remove(9, { token }), [409, 'own_provider'])
    await accepts(service(), { token })
  }
})

test('a caller who is linked to a removed provider gets its list while that is kept', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7))
  expect((await w.remove(7)).status).toBe(200)
  await w.put(userWith(lower(1), { saml_provider_id: 7 }))
  const token = w.token({ sub: lower(1) })
  const provider = await w.provider()
  await w.put({ ...provider, state: 'removing' })
  await expectRefusal(w.remove(7, { token }), [409, 'own_provider'])
  await w.put(provider)
  expect((await w.remove(7, { token })).status).toBe(200)
  w.clock.advance(32 * 86_400_000)
  await expectRefusal(w.remove(7, { token }), [404, 'provider_not_found'])
})

test.each(admitted)('a caller without a user, or with one who is not deleted, is admitted: %s', sub =>
  accepts(service(), { token: service().token({ sub }) }),
)

test('a caller who is linked to other providers may remove this one', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7, 70))
  await w.put(userWith(lower(1), { saml_provider_id: 8, sso_provider_id: 7 }))
  expect((await w.remove(7, { token: w.token({ sub: lower(1) }) })).status).toBe(200)
})

test('the scopes have configurable names', async () => {
  const w = await world({ READ_SCOPE: 'idp.read' })
  await expectRefusal(w.list(), scopeMissing('idp.read'))
  const token = w.token({ scope: 'openid idp.read profile' })
  expect((await w.list({ token })).status).toBe(200)
  await expectRefusal(w.remove(9, { token }), scopeMissing(scopes.delete))
})

test.each([
  ['a token of another issuer', { iss: 'https://other.example' }, 401],
  ['only the read scope', { scope: scopes.read }, 403],
  ['a disabled user', { sub: userId(2) }, 403],
])('with %s, no id is told from another', async (_, claims, status) => {
  const token = service().token(claims)
  const { text, headers } = await service().remove(9, { token })
  for (const id of [9, 8, 'x'])
    expect(await service().remove(id, { token })).toMatchObject({ status, text, headers })
})
