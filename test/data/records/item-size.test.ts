import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { itemBytes } from '../../../infra/dynamodb/item-size.ts'
import { providerItem, userItem } from '../../../infra/data/table/items.ts'
import type { Item } from '../../../lib/store/items.ts'
import { nameOf } from '../../support/put-items.ts'
import { int32, sampleProvider, sampleUser, sampleUsers } from '../../support/samples.ts'
import { itemsOf, ndjson, scenario } from '../scenario.ts'

const bytesMax = 409_600
/** The text that brings an item to this size; the embedded engine counts each of its characters as a byte. */
const filling = (item: Item, bytes: number) => 'x'.repeat(bytes - itemBytes(marshall(item)))

// Without numbers, whose size DynamoDB gives only roughly.
const userOfSize = (bytes: number) => {
  const user = { ...sampleUser(1), AuthSecret: null, roles: [], principal_name: '' }
  return { ...user, principal_name: filling(userItem(user), bytes) }
}
const providerOfSize = (bytes: number) => {
  const provider = { ...sampleProvider(1), display_name: '' }
  return {
    ...provider,
    display_name: `…${filling(providerItem(provider, Number.MAX_SAFE_INTEGER), bytes - 3)}`,
  }
}

test("an import writes a user of DynamoDB's 400 KB and a provider whose removal fits into them, and refuses one more byte", async () => {
  const s = await scenario()
  const tooLarge = userOfSize(bytesMax + 1)
  const { told } = await s.import(ndjson(tooLarge, providerOfSize(bytesMax - 999), sampleUser(2)))
  expect(told).toEqual([
    '1: its item has 409601 bytes, and may have 409600',
    '2: its item has 408601 bytes, and may have 408600, because its removal adds up to 1000',
  ])
  await expect(s.put(userItem(tooLarge))).rejects.toThrow(/size/i)
  expect(await s.items()).toEqual([])
  const [provider, user] = [providerOfSize(bytesMax - 1000), userOfSize(bytesMax)]
  expect((await s.import(ndjson(provider, user, sampleUser(2)))).told).toEqual([])
  expect(await s.items()).toEqual(itemsOf([provider], [user, sampleUser(2)]))
})

test('an update refuses only the user and the provider whose items would become too large', async () => {
  const providers = [7, 8, 9].map(id => sampleProvider(id))
  const users = sampleUsers(60, { saml: 7 })
  const more = { other: 'x'.repeat(405_000) }
  const large = [userItem(sampleUser(30)), providerItem(sampleProvider(9), 0)].map(nameOf)
  const withMore = (items: Item[]) =>
    items.map(item => (large.includes(nameOf(item)) ? { ...item, ...more } : item))
  const s = await scenario()
  await s.put(...withMore(itemsOf(providers, users)))
  const long = 'y'.repeat(6000)
  const longer = users.map(user => ({ ...user, principal_name: long, saml_provider_id: int32(8) }))
  const renamed = { ...sampleProvider(8), display_name: 'new' }
  const records = ndjson({ ...sampleProvider(9), display_name: long }, renamed, ...longer)
  const { told } = await s.import(records, { update: true, unlink: [7] })
  expect(told).toEqual([
    expect.stringMatching(/^1: DynamoDB does not take the provider 9: .*size/i),
    expect.stringMatching(/^33: DynamoDB does not take the user: .*size/i),
  ])
  const after = [...longer.slice(0, 30), ...users.slice(30, 31), ...longer.slice(31)]
  const expected = itemsOf([sampleProvider(7), renamed, sampleProvider(9)], after)
  expect(await s.items()).toEqual(withMore(expected))
})
