import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'
import { withPlan } from '../../support/test-client.ts'
import { sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { type DataScenario, filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'
import { retainedUntil, removal } from '../verify/valid-table.ts'
import { expectFaults } from './expect-faults.ts'

const update = true
const until = new Date(retainedUntil * 1000).toISOString()

/** What a removal of these providers has left in the table. */
async function removed(s: DataScenario, ...providers: ReturnType<typeof sampleProvider>[]) {
  for (const one of providers)
    for (const item of itemsOf([one], [sampleUser(90, { saml: one.id })]))
      if (item.state) await s.put({ ...item, ...removal, state: 'removed', expires_at: retainedUntil })
      else if (item.SK !== 'USER') await s.put({ ...item, expires_at: retainedUntil })
}

test('an import leaves out a provider that was removed or is in removal, and links to it', async () => {
  const providers = [sampleProvider(7, 70), sampleProvider(8, 80)]
  const tombstones = itemsOf(providers, []).map((item, n) => ({
    ...item,
    ...removal,
    state: ['removing', 'removed'][n],
  }))
  const s = await scenario()
  await s.put(...tombstones)
  const links = [{ saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 }, { saml: 8 }, { sso: 80 }]
  const users = links.map((one, n) => sampleUser(n, one))
  const records = ndjson(sampleProvider(7, 70), sampleProvider(8, 81), ...users)
  for (const update of [false, true, true]) {
    const { told, counts, sentences } = await s.import(records, { update })
    expect(told).toEqual([])
    expect(counts.providers).toMatchObject({ leftOut: 2 })
    const end = `From ${until} on an import adds it again: delete it in the source`
    expect(sentences.slice(2)).toEqual([
      `  provider 7 was removed here; left out: its record, 3 links to it. ${end}`,
      `  provider 8 was removed here; left out: its record, 2 links to it. ${end}`,
    ])
  }
  expect(await s.items()).toEqual([...tombstones, ...itemsOf([], sampleUsers(users.length))])
})

test('the nights after a DELETE go on, also when TTL has deleted the tombstone, and then its memberships', async () => {
  const s = await filled([sampleProvider(8)], [sampleUser(1), sampleUser(2, { saml: 8 })])
  await removed(s, sampleProvider(7, 70))
  const users = [
    sampleUser(1, { saml: 7, sso: 70 }),
    sampleUser(2, { saml: 8, sso: 70 }),
    sampleUser(3, { sso: 70 }),
  ]
  const [record, links] = [ndjson(sampleProvider(7, 70), sampleProvider(8)), ndjson(...users)]
  const night = (text: string) => s.import(text, { update })
  const expected = (links: object) =>
    itemsOf([sampleProvider(8)], [sampleUser(1), sampleUser(2, { saml: 8 }), sampleUser(3, links)]).map(
      item => item,
    )
  const own = async () =>
    (await s.items()).filter(item => !String(item.SK).endsWith('7') && item.expires_at === undefined)

  expect((await night(record + links)).told).toEqual([])
  expect(await own()).toEqual(expected({}))

  await s.client.send(new DeleteCommand({ TableName: s.tableName, Key: providerKey(7) }))
  const { told, sentences } = await night(record + links)
  expect(told).toEqual([])
  expect(sentences[2]).toBe(
    '  provider 7 was removed here; left out: its record, 3 links to it. As soon as TTL has deleted its last membership, an import adds it again: delete it in the source',
  )
  expect(await own()).toEqual(expected({}))

  // The source has deleted its record. Nothing tells whose sso_provider_id it is.
  const { told: none, sentences: about } = await night(
    ndjson(sampleProvider(8)) + ndjson(sampleUser(1, { saml: 7 }), sampleUser(4, { saml: 7 })),
  )
  expect([none, about.slice(2)]).toEqual([
    [],
    ['  provider 7 is in neither the table nor the input; left out: 2 links to it'],
  ])
  await night(ndjson(sampleUser(3, { sso: 70 })))

  await s.client.send(new DeleteCommand({ TableName: s.tableName, Key: membershipKey(7, userId(90)) }))
  await expectFaults(s, ndjson(sampleUser(1, { saml: 7 }), sampleUser(5, { saml: 7 })), [
    expect.stringMatching(/^2: 1 users, the first one here, .* provider 7, which is in neither/),
  ])
  expect((await night(record)).told).toEqual([])
  expect(await s.data.table.get(providerKey(7), never)).toMatchObject({ state: 'active', member_count: 1 })
})

test('who would give up another link for a removed provider leaves that one', async () => {
  const s = await filled([sampleProvider(8)], sampleUsers(3, { saml: 8 }))
  await removed(s, sampleProvider(7))
  await expectFaults(s, ndjson(...sampleUsers(3, { saml: 7 })), [
    expect.stringMatching(/: 3 of the 3 users of the provider 8 would leave it/),
  ])
})

test('a provider may be named by --unlink that is not in the table', async () => {
  const s = await scenario()
  expect((await s.import(ndjson(sampleUser(1, { saml: 7 })), { unlink: [7, 9] })).told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([], [sampleUser(1)]))
})

test('memberships that an older import wrote before their provider are counted', async () => {
  const s = await scenario()
  await s.put(
    ...itemsOf([sampleProvider(7)], [sampleUser(1, { saml: 7 })]).filter(({ state }) => state === undefined),
  )
  expect((await s.import(ndjson(sampleProvider(7)))).told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([sampleProvider(7)], [sampleUser(1, { saml: 7 })]))
})

test('an import keeps a link by an sso_provider_id that an active provider has, too', async () => {
  const users = sampleUsers(3, { sso: 70 })
  const s = await filled([sampleProvider(8, 70)], users)
  await removed(s, sampleProvider(7, 70))
  const before = await s.items()
  expect((await s.import(ndjson(...users), { update })).counts.users).toMatchObject({ there: 3 })
  expect(await s.items()).toEqual(before)
})

test('an import leaves out a link to a provider whose removal begins meanwhile, and says so', async () => {
  const s = await filled([sampleProvider(7)], [])
  const result = await withPlan(s.removalOf(7), () => s.import(ndjson(sampleUser(1, { saml: 7 }))))
  expect(result.told).toEqual([])
  expect(result.sentences).toContain('  provider 7 was removed here; left out: 1 links to it')
  expect(await s.data.table.get(userKey(userId(1)), never)).not.toHaveProperty('saml_provider_id')
})
