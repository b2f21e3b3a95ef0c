import fc from 'fast-check'
import { expect, test } from 'vitest'
import { zeroTime } from '../../../lib/domain/iso-time.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'
import { arbitraryOf } from '../../domain/arbitrary-resource.ts'
import { int32, userId } from '../../support/samples.ts'
import { itemsOf, scenario } from '../scenario.ts'

interface Resources {
  providers: SamlProvider[]
  users: User[]
}

/** Some of the providers 1 to 3, of which 2 and 3 have the SSO providers 10 and 20, and users with any links. */
const arbitraryResources: fc.Arbitrary<Resources> = fc
  .record({
    providers: fc.uniqueArray(
      fc.record({ id: fc.integer({ min: 1, max: 3 }), fields: arbitraryOf(samlProviderShape) }),
      { selector: ({ id }) => id, maxLength: 3 },
    ),
    users: fc.array(
      fc.record({
        fields: arbitraryOf(userShape),
        saml: fc.option(fc.nat(), { nil: undefined }),
        sso: fc.constantFrom(undefined, 10, 20, 99),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ providers, users }) => ({
    providers: providers.map(({ id, fields }) => ({
      ...(fields as SamlProvider),
      id,
      name: `provider ${id}`,
      deleted_at: { time: zeroTime, valid: false },
      sso_provider_id: int32([undefined, 10, 20][id - 1]),
    })),
    users: users.map(({ fields, saml, sso }, n) => {
      const linked = saml === undefined ? undefined : providers[saml % providers.length]?.id
      const links = { saml_provider_id: int32(linked), sso_provider_id: int32(sso) }
      return { ...(fields as User), id: userId(n), ...links }
    }),
  }))

/** What another service keeps in the items and in the maps in them. */
const theirs = { theirs: new Set(['a', 'b']) }

/** An item with what another service keeps where the stored one has the same maps. */
function withTheirs(item: Item, stored: Item | undefined): Item {
  if (stored === undefined || Object.keys(item).length === 2) return item
  const { AuthSecret, roles } = item as { AuthSecret?: Item; roles?: Item[] }
  const had = stored as { AuthSecret?: Item; roles?: Item[] }
  return {
    ...item,
    ...theirs,
    ...(had.AuthSecret && { AuthSecret: { ...AuthSecret, ...theirs } }),
    ...(roles && had.roles?.length && { roles: roles.map(role => ({ ...role, ...theirs })) }),
  }
}

/** Others in their secrets and roles than any before. */
const renamed = ({ providers, users }: Resources): Resources => ({
  providers,
  users: users.map(user => ({
    ...user,
    AuthSecret: user.AuthSecret && { ...user.AuthSecret, digest_method: 'new' },
    roles: user.roles.map(role => ({ ...role, name: 'new' })),
  })),
})

/** The last one of those with the same id. */
const latest = <T extends { id: unknown }>(all: T[]) => [...new Map(all.map(one => [one.id, one])).values()]

const tableOf = ({ providers, users }: Resources) => itemsOf(providers, users)

test('import, export and update keep all values', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryResources, arbitraryResources.map(renamed), async (before, after) => {
      const s = await scenario()
      const there = tableOf(before)
      await s.accepts([...before.providers, ...before.users])
      expect(await s.items()).toEqual(there)

      const copy = await scenario()
      const text = await s.export()
      await copy.accepts(text)
      expect(await copy.items()).toEqual(there)
      const { counts } = await s.import(text)
      expect(counts).toMatchObject({
        providers: { there: before.providers.length },
        users: { there: before.users.length },
      })
      expect(await s.items()).toEqual(there)

      await s.put(...there.map(item => withTheirs(item, item)))
      const changed = [...after.users, ...after.providers]
      const unlink = before.providers.map(({ id }) => id)
      await s.accepts(changed, { update: true, unlink })
      const merged = {
        providers: latest([...before.providers, ...after.providers]),
        users: latest([...before.users, ...after.users]),
      }
      const hadAt = ({ PK, SK }: Item) => there.find(item => item.PK === PK && item.SK === SK)
      expect(await s.items()).toEqual(tableOf(merged).map(item => withTheirs(item, hadAt(item))))
      expect((await s.find()).faults).toEqual([])
      expect((await s.import(changed)).counts).toMatchObject({
        users: { there: after.users.length },
        providers: { there: after.providers.length },
      })
    }),
    { numRuns: process.env.TEST_FULL ? 200 : 10 },
  )
})
