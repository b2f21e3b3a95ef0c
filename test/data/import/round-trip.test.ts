import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exportRecords } from '../../../infra/data/export.ts'
import { findSources, readEntries } from '../../../infra/data/records/source.ts'
import { zeroTime } from '../../../lib/domain/iso-time.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'
import { arbitraryOf } from '../../domain/arbitrary-resource.ts'
import { int32, userId } from '../../support/samples.ts'
import { type DataScenario, itemsOf, ndjson, never, scenario } from '../scenario.ts'

interface Resources {
  providers: SamlProvider[]
  users: User[]
}

/** Some of the providers 1 to 3, of which 2 and 3 have the SSO providers 10 and 20, and users with any links. */
const arbitraryResources: fc.Arbitrary<Resources> = fc
  .record({
    providers: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
    fields: fc.array(arbitraryOf(samlProviderShape), { minLength: 3, maxLength: 3 }),
    users: fc.array(arbitraryOf(userShape), { minLength: 1, maxLength: 8 }),
    links: fc.array(
      fc.record({
        saml: fc.option(fc.nat(), { nil: undefined }),
        sso: fc.constantFrom(undefined, 10, 20, 99),
      }),
      { minLength: 8, maxLength: 8 },
    ),
  })
  .map(({ providers, fields, users, links }) => ({
    providers: providers.map((id, index) => ({
      ...(fields[index] as SamlProvider),
      id,
      name: `provider ${id}`,
      deleted_at: { time: zeroTime, valid: false },
      sso_provider_id: int32([undefined, 10, 20][id - 1]),
    })),
    users: (users as User[]).map((user, n) => {
      const { saml, sso } = links[n] ?? {}
      const linked = saml === undefined ? undefined : providers[saml % (providers.length || 1)]
      return { ...user, id: userId(n), saml_provider_id: int32(linked), sso_provider_id: int32(sso) }
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

/** The later ones of the resources with the same id. */
function merged(before: Resources, after: Resources): Resources {
  const byId = <T extends { id: unknown }>(all: T[]) => [...new Map(all.map(one => [one.id, one])).values()]
  return {
    providers: byId([...before.providers, ...after.providers]),
    users: byId([...before.users, ...after.users]),
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

const tableOf = ({ providers, users }: Resources) => itemsOf(providers, users)

/** The resources of an export, as an import reads them: providers by id, and users by id. */
async function exported({ data, clock }: DataScenario) {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  await clock.moving(exportRecords(data, write, never))
  const sources = findSources(['-'], Readable.from([Buffer.from(text)]))
  const entries = (await Array.fromAsync(readEntries(sources, never))).flat()
  expect(entries.flatMap(({ faults }) => faults)).toEqual([])
  const of = (kind: 'provider' | 'user') =>
    entries.flatMap(({ record }) => (record?.kind === kind ? [record.resource] : []))
  return inOrder({ providers: of('provider') as SamlProvider[], users: of('user') as User[] })
}

const inOrder = ({ providers, users }: Resources) => [
  ...providers.toSorted((one, other) => one.id - other.id),
  ...users.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
]

test('an import makes the table of its records, without a fault; an export, and a repeated import, find them; an update gives everything there the values of the records, and keeps what belongs to others', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryResources, arbitraryResources.map(renamed), async (before, after) => {
      const s = await scenario()
      const text = ndjson(...before.providers, ...before.users)
      await s.import(text)
      const there = tableOf(before)
      expect(await s.items()).toEqual(there)
      expect(await exported(s)).toEqual(inOrder(before))
      const { counts, faults } = await s.import(text)
      expect(faults).toEqual([])
      expect(counts).toMatchObject({
        providers: { written: 0, there: before.providers.length },
        users: { written: 0, there: before.users.length },
      })
      expect(await s.items()).toEqual(there)

      await s.put(...there.map(item => withTheirs(item, item)))
      const changed = ndjson(...after.users, ...after.providers)
      const unlink = before.providers.map(({ id }) => id)
      expect((await s.import(changed, { update: true, unlink })).faults).toEqual([])
      const hadAt = ({ PK, SK }: Item) => there.find(item => item.PK === PK && item.SK === SK)
      expect(await s.items()).toEqual(
        tableOf(merged(before, after)).map(item => withTheirs(item, hadAt(item))),
      )
      expect((await s.find()).faults).toEqual([])
      expect((await s.import(changed)).counts).toMatchObject({
        users: { there: after.users.length },
        providers: { there: after.providers.length },
      })
    }),
    { numRuns: process.env.TEST_FULL ? 200 : 10 },
  )
})
