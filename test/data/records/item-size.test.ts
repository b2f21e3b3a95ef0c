import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { itemBytes } from '../../../infra/dynamodb/item-size.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, providerItem, userItem } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { int32, sampleProvider, sampleUser, sampleUsers, userId } from '../../support/samples.ts'
import { filled, itemsOf, ndjson, never, scenario } from '../scenario.ts'

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

test("an import writes a user of DynamoDB's 400 KB, and refuses one more byte, as DynamoDB does", async () => {
  const s = await scenario()
  const tooLarge = userOfSize(bytesMax + 1)
  expect((await s.import(ndjson(tooLarge, sampleUser(2)))).faults).toEqual([
    '1: its item has 409601 bytes, and may have 409600',
  ])
  await expect(s.put(userItem(tooLarge))).rejects.toThrow(/size/i)
  expect((await s.import(ndjson(userOfSize(bytesMax)))).faults).toEqual([])
  expect(await s.items()).toEqual([userOfSize(bytesMax), sampleUser(2)].map(userItem))
})

test('an import writes a provider whose removal fits into 400 KB, and refuses one more byte', async () => {
  const s = await scenario()
  expect((await s.import(ndjson(providerOfSize(bytesMax - 999)))).faults).toEqual([
    '1: its item has 408601 bytes, and may have 408600, because its removal adds up to 1000',
  ])
  expect((await s.import(ndjson(providerOfSize(bytesMax - 1000)))).faults).toEqual([])
  expect((await s.find()).faults).toEqual([])
})

test('an update refuses only the user whose item would become too large', async () => {
  const s = await scenario()
  const users = sampleUsers(60, { saml: 7 })
  const items = itemsOf([sampleProvider(7)], users)
  const more = { other: 'x'.repeat(405_000) }
  const isLarge = ({ PK, SK }: Item) => SK === 'USER' && PK === `USER#${userId(30)}`
  await s.put(...items.map(item => (isLarge(item) ? { ...item, ...more } : item)))
  const longer = users.map(user => ({
    ...user,
    principal_name: 'y'.repeat(6000),
    saml_provider_id: int32(8),
  }))
  const records = ndjson(sampleProvider(8), ...longer)
  const { faults } = await s.import(records, { update: true, unlink: [7] })
  expect(faults).toEqual([expect.stringMatching(/^32: DynamoDB does not take the user: .*size/i)])
  const after = [...longer.slice(0, 30), users[30] as (typeof users)[0], ...longer.slice(31)]
  const expected = itemsOf([sampleProvider(7), sampleProvider(8)], after)
  expect(await s.items()).toEqual(expected.map(item => (isLarge(item) ? { ...item, ...more } : item)))
})

test('an update refuses only the provider whose item would become too large', async () => {
  const s = await filled([sampleProvider(7), sampleProvider(8)], sampleUsers(3, { saml: 7 }))
  const large = { ...(await s.data.table.get(providerKey(7), never)), other: 'x'.repeat(405_000) }
  await s.put(large)
  const longer = { ...sampleProvider(7), display_name: 'y'.repeat(6000) }
  const others = [{ ...sampleProvider(8), display_name: 'new' }, sampleUser(4, { saml: 7 })]
  const { faults } = await s.import(ndjson(longer, ...others), { update: true })
  expect(faults).toEqual([expect.stringMatching(/^1: DynamoDB does not take the provider: .*size/i)])
  const [, eight] = itemsOf([sampleProvider(7), others[0] as SamlProvider], [])
  expect(await s.data.table.get(providerKey(7), never)).toEqual({ ...large, member_count: 4 })
  expect(await s.data.table.get(providerKey(8), never)).toEqual(eight)
})
