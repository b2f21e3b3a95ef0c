import { describe, expect, test } from 'vitest'
import { providerKey } from '../../../lib/store/keys.ts'
import { type Links, sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'

const update = true
const absent = (providerId: number) => `the record of the provider ${providerId} is not in the table`
const wouldChange = 'and the link of the user to it would change'

describe('when the record of a provider is refused, an import', () => {
  test('changes no link to it, and updates its users in all else', async () => {
    const users = [...sampleUsers(12, { sso: 11 }), sampleUser(13, { saml: 1, sso: 11 })]
    const staying = sampleUser(14, { saml: 1 })
    const s = await filled([sampleProvider(1, 11)], [...users, staying])
    const moved = [
      ...sampleUsers(11, { sso: 111 }),
      sampleUser(11),
      sampleUser(13, { saml: 1, sso: 111 }),
      sampleUser(15, { sso: 111 }),
    ]
    const renamed = { ...staying, principal_name: 'new' }
    const records = ndjson(sampleProvider(1, 111), ...moved, renamed)
    const { faults } = await s.import(records, { update, unlink: [1] })
    expect(faults).toEqual([
      ...moved.map((_, n) => `${n + 2}: ${absent(1)}, ${wouldChange}`),
      '1: the provider 1 has another sso_provider_id in the table, by which its users are linked: it cannot be changed',
    ])
    expect(await s.items()).toEqual(itemsOf([sampleProvider(1, 11)], [...users, renamed]))
  })

  test('that is not an update stores no user whose only link is the sso_provider_id in the record', async () => {
    const users = sampleUsers(3, { saml: 7 })
    const s = await filled([sampleProvider(7)], users)
    const [newcomer, ...others] = [sampleUser(70, { sso: 70 }), sampleUser(71), sampleUser(72, { saml: 7 })]
    const records = ndjson(sampleProvider(7, 70), newcomer, ...others)
    const { faults } = await s.import(records)
    expect(faults).toEqual([`2: ${absent(7)}, ${wouldChange}`, '1: differs in sso_provider_id'])
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], [...users, ...others]))
    expect((await s.import(records, { update })).faults).toEqual([])
    const all = [...users, newcomer as (typeof others)[0], ...others]
    expect(await s.items()).toEqual(itemsOf([sampleProvider(7, 70)], all))
  })
})

const maybe = /: .*:1 cannot be read, and may be the record of the provider \d/

test.each([
  ['with an id that is a text', ndjson({ ...sampleProvider(7), id: '7' }), maybe],
  ['with an id that is none', ndjson({ ...sampleProvider(7), id: 0 }), maybe],
  ['that is no JSON', ndjson(sampleProvider(7)).replace('}\n', ',}\n'), maybe],
  [
    'that was deleted',
    ndjson({ ...sampleProvider(7), deleted_at: '2026-01-31T09:30:00Z' }),
    /: the record of the provider 7 is not in the table$/,
  ],
])(
  'beside the record of a provider %s, an import adds no user without the link, and all of them after the line is mended',
  async (_, line, reason) => {
    const s = await scenario()
    const users = sampleUsers(3, { saml: 7 })
    const { faults } = await s.import(line + ndjson(...users, sampleUser(9)))
    expect(faults).toHaveLength(4)
    expect(faults.filter(fault => reason.test(fault))).toHaveLength(3)
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
  const { faults, stopped } = await s.import(`{\n${ndjson(...moving, joining)}`, { update })
  expect(stopped).toEqual([])
  expect(faults.filter(fault => maybe.test(fault))).toHaveLength(4)
  expect(await s.items()).toEqual(itemsOf(providers, [...before, joining]))
})

test('while the state of a provider is unknown, an import refuses its record, and keeps the links of its users', async () => {
  const unknown = 'the state of the provider 7 in the table is unknown'
  const changed = `${unknown}, ${wouldChange}`
  const rows: [Links | undefined, Links, string][] = [
    [{ saml: 7 }, { saml: 7 }, unknown],
    [{ saml: 7 }, {}, changed],
    [{ sso: 70 }, { sso: 71 }, changed],
    [{ saml: 7 }, { saml: 8 }, changed],
    [{}, { sso: 70 }, changed],
    [undefined, { saml: 7 }, unknown],
  ]
  const users = rows.flatMap(([before], n) => (before ? sampleUser(n, before) : []))
  const s = await filled([sampleProvider(7, 70), sampleProvider(8)], users)
  await s.put({ ...(await s.data.table.get(providerKey(7), never)), state: 'Active' })
  const stored = await s.items()
  const after = rows.map(([, links], n) => ({ ...sampleUser(n, links), principal_name: 'new' }))
  for (const update of [true, false]) {
    const { faults, stopped } = await s.import(ndjson(sampleProvider(7, 70), ...after), { update })
    expect(stopped).toEqual([])
    expect(faults).toEqual([
      `1: ${unknown}: see verify`,
      ...rows.map(([, , reason], n) => `${n + 2}: ${reason}`),
    ])
    expect(await s.items()).toEqual(stored)
  }
})
