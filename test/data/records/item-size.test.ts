import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { itemBytes } from '../../../infra/dynamodb/item-size.ts'
import { type Item, providerItem, userItem } from '../../../lib/store/items.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { ndjson, scenario } from '../scenario.ts'

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
