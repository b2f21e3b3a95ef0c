import { describe, expect, test } from 'vitest'
import { userItem } from '../../lib/store/items.ts'
import { int32, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { scopes, world } from '../support/world.ts'
import { accepts, expectRefusal, scopeMissing, untouched } from './scenario.ts'

const disabled = { is_disabled: true }
const deleted = { deleted_at: { time: '2026-01-01T00:00:00.000Z', valid: true } }
const linkedBy = (saml?: number, sso?: number) => ({
  saml_provider_id: int32(saml),
  sso_provider_id: int32(sso),
})

/** A UUID with this last group, in lower, upper and mixed case. */
const lower = (n: number) => `abcdef00-0000-4000-8000-00000000000${n}`
const upper = (n: number) => lower(n).toUpperCase()
const mixed = (n: number) => lower(n).replace('f', 'F')

/** Users by id. */
type Stored = Record<string, object>
/** Stored users, and the subjects that are refused because of them. */
const refused: [name: string, stored: Stored, subjects: string[]][] = [
  ['disabled', { [lower(1)]: disabled }, [lower(1), mixed(1)]],
  ['deleted', { [lower(2)]: deleted }, [lower(2)]],
  ['with a name outside ASCII', { ÄÖ: disabled }, ['ÄÖ']],
]
const owning: typeof refused = [
  ['by its id', { [lower(8)]: linkedBy(9) }, [lower(8), upper(8)]],
  ['by its SSO provider', { 'by SSO': linkedBy(undefined, 90) }, ['by SSO']],
  ['both ways', { both: linkedBy(9, 90) }, ['both']],
]
const strangers = [userId(9), 'nightly-job', upper(4)]

const service = untouched({}, async w => {
  await w.putProvider(sampleProvider(9, 90))
  const stored = [...refused, ...owning].flatMap(([, users]) => Object.entries(users))
  await w.put(...stored.map(([id, user]) => userItem({ ...sampleUser(1), id, ...user })))
})

describe("the caller's own user", () => {
  test.each(refused)('%s is refused on both endpoints', async (_, __, subjects) => {
    for (const token of subjects.map(sub => service().token({ sub }))) {
      await expectRefusal(service().list({ token }), [403, 'caller_disabled'])
      await expectRefusal(service().remove(9, { token }), [403, 'caller_disabled'])
    }
  })

  test.each(owning)('linked to the provider %s may not remove it, and may list', async (_, __, subjects) => {
    for (const token of subjects.map(sub => service().token({ sub }))) {
      await expectRefusal(service().remove(9, { token }), [409, 'own_provider'])
      await accepts(service(), { token })
    }
  })

  test('linked to a provider whose list is not kept any more gets 404, not 409', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    expect((await w.remove(7)).status).toBe(200)
    w.clock.advance(32 * 86_400_000)
    await w.put(userItem({ ...sampleUser(1), ...linkedBy(7) }))
    const token = w.token({ sub: userId(1) })
    await expectRefusal(w.remove(7, { token }), [404, 'provider_not_found'])
  })

  test.each(strangers)('is nobody else, and need not exist: %s', sub =>
    accepts(service(), { token: service().token({ sub }) }),
  )

  test.each([
    ['to other providers', linkedBy(8, 80)],
    ['to an SSO provider of the same id', linkedBy(undefined, 7)],
  ])('linked %s may remove', async (_, links) => {
    const w = await world()
    await w.putProvider(sampleProvider(7, 70))
    await w.put(userItem({ ...sampleUser(1), ...links }))
    expect((await w.remove(7, { token: w.token({ sub: userId(1) }) })).status).toBe(200)
  })
})

describe('a scope', () => {
  test('to read allows the list, but no removal', async () => {
    const token = service().token({ scope: `openid ${scopes.read} profile` })
    expect((await service().list({ token })).status).toBe(200)
    await expectRefusal(service().remove(9, { token }), scopeMissing(scopes.delete))
  })

  test('has a configurable name', async () => {
    const w = await world({ READ_SCOPE: 'idp.read' })
    await expectRefusal(w.list(), scopeMissing('idp.read'))
    expect((await w.list({ token: w.token({ scope: 'idp.read' }) })).status).toBe(200)
  })
})

test.each([
  ['a token of another issuer', { iss: 'https://other.example' }, 401],
  ['only the read scope', { scope: scopes.read }, 403],
  ['a disabled user', { sub: userId(2) }, 403],
])('with %s, a known, an unknown and an invalid id get the same answer', async (_, claims, status) => {
  const token = service().token(claims)
  const { text, headers } = await service().remove(9, { token })
  for (const id of [9, 8, 'x'])
    expect(await service().remove(id, { token })).toMatchObject({ status, text, headers })
})
