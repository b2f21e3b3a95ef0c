import { describe, expect, test } from 'vitest'
import { sampleItems } from '../../../infra/sample-data/items.ts'
import { sampleProviders } from '../../../infra/sample-data/providers.ts'
import { administratorId, linkedAdministratorId, sampleUsers } from '../../../infra/sample-data/users.ts'
import { show, store } from '../../../lib/domain/fields.ts'
import { isLinked } from '../../../lib/domain/provider.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'

const items = sampleItems()
const linkedTo = (providerId: number) => {
  const provider = sampleProviders.find(({ id }) => id === providerId)
  return sampleUsers.filter(user => provider !== undefined && isLinked(user, provider))
}
const byWay = (saml: boolean, sso: boolean) =>
  sampleUsers.filter(
    ({ saml_provider_id, sso_provider_id }) =>
      saml_provider_id.valid === saml && sso_provider_id.valid === sso,
  )

describe('the sample data', () => {
  test('has 4 providers and 25 users, each id once', () => {
    expect(new Set(sampleProviders.map(({ id }) => id)).size).toBe(4)
    expect(new Set(sampleUsers.map(({ id }) => id)).size).toBe(25)
    expect(sampleUsers.every(({ id }) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id))).toBe(true)
  })

  test('has providers with and without an SSO provider, and one without users', () => {
    expect(new Set(sampleProviders.map(({ sso_provider_id }) => sso_provider_id.valid)).size).toBe(2)
    expect(sampleProviders.filter(({ id }) => linkedTo(id).length === 0)).toHaveLength(1)
  })

  test('has users linked by either field, by both, and by none', () => {
    for (const users of [byWay(true, false), byWay(false, true), byWay(true, true), byWay(false, false)])
      expect(users.length).toBeGreaterThan(2)
  })

  test('has disabled and deleted users, and users without secret, names or environments', () => {
    const having = (what: (user: (typeof sampleUsers)[number]) => boolean) => sampleUsers.filter(what).length
    expect(having(user => user.is_disabled)).toBeGreaterThan(2)
    expect(having(user => user.deleted_at.valid)).toBeGreaterThan(2)
    expect(having(user => user.AuthSecret === null)).toBeGreaterThan(2)
    expect(having(user => user.AuthSecret !== null)).toBeGreaterThan(2)
    expect(having(user => !user.first_name.valid)).toBeGreaterThan(2)
    expect(having(user => user.environment_targeted_access_control.length > 0)).toBeGreaterThan(2)
    expect(sampleUsers.every(user => user.roles.every(role => role.permissions.length > 0))).toBe(true)
  })

  test.each([
    [administratorId, 0],
    [linkedAdministratorId, 1],
  ])('has the administrator %s linked to %i providers', (id, count) => {
    const administrator = sampleUsers.find(user => user.id === id)
    expect(administrator?.roles[0]?.name).toBe('Administrator')
    expect(administrator?.is_disabled || administrator?.deleted_at.valid).toBe(false)
    expect(
      sampleProviders.filter(provider => linkedTo(provider.id).some(user => user.id === id)),
    ).toHaveLength(count)
  })

  test.each(sampleProviders.map(({ id, name }) => [name, id] as const))(
    'counts for %s the users that are linked, with an edge each',
    (_, id) => {
      const edges = items
        .filter(({ PK }) => PK === `SAML_PROVIDER#${id}`)
        .map(({ SK }) => String(SK).replace('USER#', ''))
      const provider = items.find(({ SK }) => SK === `PROVIDER#${String(id).padStart(10, '0')}`)
      expect(edges.sort()).toEqual(
        linkedTo(id)
          .map(user => user.id)
          .sort(),
      )
      expect(provider).toMatchObject({ state: 'active', member_count: edges.length })
    },
  )

  test('survives being stored and read', () => {
    for (const user of sampleUsers) expect(show(userShape, store(userShape, user))).toEqual(user)
    for (const provider of sampleProviders)
      expect(show(samlProviderShape, store(samlProviderShape, provider))).toEqual(provider)
  })

  test('names no host outside the domains that are reserved for examples', () => {
    const text = JSON.stringify(sampleProviders) + JSON.stringify(sampleUsers)
    const hosts = [...text.matchAll(/https?:\/\/([^/"]+)|@([^"]+)/g)].map(([, url, mail]) => url ?? mail)
    for (const host of hosts) expect(host).toMatch(/(\.example|^(.*\.)?example\.com|^schemas\.xmlsoap\.org)$/)
  })
})
