import { describe, expect, test } from 'vitest'
import { providerKey } from '../../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'

const update = true

describe('when the record of a provider is refused, an import', () => {
  test.each([
    [{ sso: 11 }, { sso: 111 }],
    [
      { saml: 1, sso: 11 },
      { saml: 1, sso: 111 },
    ],
  ])('changes no link to it: from %j to %j', async (before, after) => {
    const users = sampleUsers(25, before)
    const s = await filled([sampleProvider(1, 11)], users)
    const stored = await s.items()
    const records = ndjson(sampleProvider(1, 111), ...sampleUsers(26, after))
    const { faults } = await s.import(records, { update, unlink: [1] })
    const reason =
      'the record of the provider 1 is not in the table, and the link of the user to it would change'
    expect(faults).toEqual([
      ...Array.from({ length: 26 }, (_, n) => `${n + 2}: ${reason}`),
      '1: the provider 1 has another sso_provider_id in the table, by which its users are linked: it cannot be changed',
    ])
    expect(await s.items()).toEqual(stored)
  })

  test('updates its users in all else', async () => {
    const s = await filled([sampleProvider(1, 11)], sampleUsers(2, { saml: 1 }))
    const named = sampleUsers(2, { saml: 1 }).map(user => ({ ...user, principal_name: `new ${user.id}` }))
    const { faults } = await s.import(ndjson(sampleProvider(1, 111), ...named), { update })
    expect(faults).toHaveLength(1)
    expect(await s.items()).toEqual(itemsOf([sampleProvider(1, 11)], named))
  })

  test('adds no user of it, also when it cannot be read', async () => {
    const s = await scenario()
    const deleted = { ...sampleProvider(1), deleted_at: '2026-01-31T09:30:00Z' }
    const { faults } = await s.import(ndjson(deleted, ...sampleUsers(1, { saml: 1 })))
    expect(faults).toEqual([
      expect.stringContaining('deleted_at is set'),
      '2: the record of the provider 1 is not in the table',
    ])
    expect(await s.items()).toEqual([])
  })
})

test('a plain import stores no user whose only link is the sso_provider_id that a provider has in its record, not in the table', async () => {
  const s = await filled([sampleProvider(7)], sampleUsers(3, { saml: 7 }))
  const newcomers = [sampleUser(70, { sso: 70 }), sampleUser(71), sampleUser(72, { saml: 7 })]
  const { faults } = await s.import(ndjson(sampleProvider(7, 70), ...newcomers))
  const reason =
    'the record of the provider 7 is not in the table, and the link of the user to it would change'
  expect(faults).toEqual([`2: ${reason}`, '1: differs in sso_provider_id'])
  const [, ...written] = newcomers
  const linked = [...sampleUsers(3, { saml: 7 }), ...written]
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], linked))
  expect((await s.import(ndjson(sampleProvider(7, 70), ...newcomers), { update })).faults).toEqual([])
  const users = [...sampleUsers(3, { saml: 7 }), ...newcomers]
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 70)], users))
})

const seven = ndjson(sampleProvider(7))

const unreadable: [name: string, line: string | Buffer][] = [
  ['with an id that is a text', ndjson({ ...sampleProvider(7), id: '7' })],
  ['with an id that is none', ndjson({ ...sampleProvider(7), id: 0 })],
  ['that is no JSON', seven.replace('}\n', ',}\n')],
  ['that is too long', seven.replace('"name"', `"more":"${'x'.repeat(2_100_000)}","name"`)],
  ['that is not UTF-8', Buffer.from(seven.replace('provider-7', 'provider-é'), 'latin1')],
]
const textOf = (line: string | Buffer, ...users: object[]) =>
  Buffer.concat([Buffer.from(line), Buffer.from(ndjson(...users))])
const maybe = /: .*:1 cannot be read, and may be the record of the provider \d/

test.each(unreadable)(
  'beside the record of a provider %s, an import adds no user without the link, and all of them after the line is mended',
  async (_, line) => {
    const s = await scenario()
    const users = sampleUsers(3, { saml: 7 })
    const { faults } = await s.import(textOf(line, ...users, sampleUser(9)))
    expect(faults).toHaveLength(4)
    expect(faults.filter(fault => maybe.test(fault))).toHaveLength(3)
    expect(await s.items()).toEqual(itemsOf([], [sampleUser(9)]))
    expect((await s.import(ndjson(sampleProvider(7), ...users))).faults).toEqual([])
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], [...users, sampleUser(9)]))
  },
)

test('beside a line that is no JSON, an update takes no link away', async () => {
  const providers = [sampleProvider(7, 11), sampleProvider(8)]
  const before = sampleUsers(101, { saml: 7, sso: 11 })
  const s = await filled(providers, before)
  const moving = [{ saml: 7, sso: 111 }, { sso: 11 }, { saml: 8 }, {}].map((links, n) => sampleUser(n, links))
  const joining = sampleUser(200, { saml: 8 })
  const { faults, stopped } = await s.import(textOf('{\n', ...moving, joining), { update })
  expect(stopped).toEqual([])
  expect(faults.filter(fault => maybe.test(fault))).toHaveLength(4)
  expect(await s.items()).toEqual(itemsOf(providers, [...before, joining]))
})

test('beside a user who cannot be read, an import leaves out links to unknown providers', async () => {
  const s = await scenario()
  const { faults } = await s.import(
    ndjson({ ...sampleUser(1), is_disabled: 'no' }, sampleUser(2, { saml: 7 })),
  )
  expect(faults).toHaveLength(1)
  expect(await s.items()).toEqual(itemsOf([], [sampleUser(2)]))
})

const unknown = 'the state of the provider 7 in the table is unknown'
const changed = `${unknown}, and the link of the user to it would change`

/** A table with a provider whose state cannot be read, another one, and users of the first one. */
async function filledUnknown(users: Parameters<typeof filled>[1]) {
  const s = await filled([sampleProvider(7, 70), sampleProvider(8)], users)
  await s.put({ ...(await s.data.table.get(providerKey(7), never)), state: 'Active' })
  return s
}

describe('while the state of a provider is unknown, an import', () => {
  test.each<[Links, Links, string]>([
    [{ saml: 7 }, { saml: 7 }, unknown],
    [{ saml: 7 }, {}, changed],
    [{ sso: 70 }, { sso: 71 }, changed],
    [{ saml: 7 }, { saml: 8 }, changed],
    [{}, { sso: 70 }, changed],
  ])('keeps the links of its users: from %j to %j', async (before, after, reason) => {
    const s = await filledUnknown(sampleUsers(25, before))
    const stored = await s.items()
    const records = sampleUsers(25, after).map(user => ({ ...user, principal_name: 'new' }))
    const { faults, stopped } = await s.import(ndjson(...records), { update })
    expect(stopped).toEqual([])
    expect(faults).toEqual(records.map((_, n) => `${n + 1}: ${reason}`))
    expect(await s.items()).toEqual(stored)
  })

  test.each([true, false])('refuses its record, and adds none of its users: update %j', async update => {
    const s = await filledUnknown([])
    const stored = await s.items()
    const records = ndjson(sampleProvider(7, 70), ...sampleUsers(1, { saml: 7 }))
    const { faults } = await s.import(records, { update })
    expect(faults).toEqual([`1: ${unknown}: see verify`, `2: ${unknown}`])
    expect(await s.items()).toEqual(stored)
  })
})
