import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'
import { withPlan } from '../../support/test-client.ts'
import { type Links, sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { before, type DataScenario, filled, inState, itemsOf, never, scenario } from '../scenario.ts'
import { retainedUntil, removal } from '../verify/valid-table.ts'

const update = true
const until = new Date(retainedUntil * 1000).toISOString()

/** Stores what a removal of this provider and of its user 90 has left. */
async function removed(s: DataScenario, provider: SamlProvider) {
  const items = inState('removed', itemsOf([provider], [sampleUser(90, { saml: provider.id })]))
  for (const item of items.filter(({ SK }) => SK !== 'USER'))
    await s.put({ ...item, ...(item.state !== undefined && removal), expires_at: retainedUntil })
}

const deleteItem = (s: DataScenario, Key: object) =>
  s.client.send(new DeleteCommand({ TableName: s.tableName, Key: { ...Key } }))

const usersWith = (...links: Links[]) => links.map((one, n) => sampleUser(n + 1, one))

test('an import leaves out a provider that was removed or is in removal with the links to it', async () => {
  const s = await scenario()
  const gone = [sampleProvider(7, 70), sampleProvider(8, 80), sampleProvider(9)]
  const tombstones = itemsOf(gone, []).map((item, n) => ({
    ...item,
    ...removal,
    state: ['removing', 'removed', 'removed'][n],
  }))
  await s.put(...tombstones)
  const users = usersWith({ saml: 8 }, { sso: 80 }, { saml: 7 }, { sso: 70 }, { saml: 7, sso: 70 })
  const end = `From ${until} on an import adds it again: delete it in the source`
  for (const update of [false, true, true]) {
    const records = [sampleProvider(7, 70), sampleProvider(8, 81), sampleProvider(9), ...users]
    const { counts, sentences } = await s.accepts(records, { update })
    expect(counts.providers).toMatchObject({ leftOut: 3 })
    expect(sentences.slice(2)).toEqual([
      `  provider 7 was removed here; left out: its record, 3 links to it. ${end}`,
      `  provider 8 was removed here; left out: its record, 2 links to it. ${end}`,
      `  provider 9 was removed here; left out: its record. ${end}`,
    ])
  }
  expect(await s.items()).toEqual([...tombstones, ...itemsOf([], usersWith({}, {}, {}, {}, {}))])
})

test('the nights after a DELETE go on when TTL has deleted its tombstone, then its memberships', async () => {
  const left = usersWith({}, { saml: 8 }, {})
  const s = await filled([sampleProvider(8)], left.slice(0, 2))
  await removed(s, sampleProvider(7, 70))
  const users = usersWith({ saml: 7, sso: 70 }, { saml: 8, sso: 70 }, { sso: 70 })
  const records = [sampleProvider(7, 70), sampleProvider(8), ...users]
  const live = async () =>
    (await s.items()).filter(item => item.state !== 'removed' && item.expires_at === undefined)
  await s.accepts(records, { update })
  expect(await live()).toEqual(itemsOf([sampleProvider(8)], left))

  await deleteItem(s, providerKey(7))
  expect((await s.accepts(records, { update })).sentences[2]).toBe(
    '  provider 7 was removed here; left out: its record, 3 links to it. As soon as TTL has deleted its last membership, an import adds it again: delete it in the source',
  )
  expect(await live()).toEqual(itemsOf([sampleProvider(8)], left))

  // The source has deleted its record.
  const linked = [sampleUser(1, { saml: 7 }), sampleUser(4, { saml: 7 })]
  const { sentences } = await s.accepts([sampleProvider(8), ...linked], { update })
  expect(sentences.slice(2)).toEqual([
    '  provider 7 is in neither the table nor the input; left out: 2 links to it',
  ])

  await deleteItem(s, membershipKey(7, userId(90)))
  await s.refuses(
    [sampleUser(1, { saml: 7 }), sampleUser(5, { saml: 7 })],
    [expect.stringMatching(/^2: 1 users, the first one here, .* provider 7, which is in neither/)],
  )
  await s.accepts([sampleProvider(7, 70), ...users.slice(2)], { update })
  expect(await s.data.table.get(providerKey(7), never)).toMatchObject({ state: 'active', member_count: 1 })
})

test('who would give up another link for a removed provider leaves that one', async () => {
  const s = await filled([sampleProvider(8)], sampleUsers(3, { saml: 8 }))
  await removed(s, sampleProvider(7))
  const fault = expect.stringMatching(/: 3 of the 3 users of the provider 8 would leave it/)
  await s.refuses(sampleUsers(3, { saml: 7 }), [fault])
})

test('an import keeps a link by an sso_provider_id that an active provider has, too', async () => {
  const users = sampleUsers(3, { sso: 70 })
  const s = await filled([sampleProvider(8, 70)], users)
  await removed(s, sampleProvider(7, 70))
  const stored = await s.items()
  expect((await s.import(users, { update })).counts.users).toMatchObject({ there: 3 })
  expect(await s.items()).toEqual(stored)
})

test('an import leaves out a link to a provider whose removal begins meanwhile', async () => {
  const s = await filled([sampleProvider(7)], [])
  const removing = inState('removing', itemsOf([sampleProvider(7)], []))
  const removal = before('TransactWriteItems', () => s.put(...removing))
  const result = await withPlan(removal, () => s.accepts([sampleUser(1, { saml: 7 })]))
  expect(result.sentences).toContain('  provider 7 was removed here; left out: 1 links to it')
  expect(await s.data.table.get(userKey(userId(1)), never)).not.toHaveProperty('saml_provider_id')
})
