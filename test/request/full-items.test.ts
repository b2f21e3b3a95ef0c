import { marshall } from '@aws-sdk/util-dynamodb'
import { describe, expect, test } from 'vitest'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { itemBytes, itemBytesMax } from '../../infra/dynamodb/item-size.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'

/** The item with an attribute of another service, so large that this many bytes are left. */
function filled(item: Item, leftBytes = 0): Item {
  const filling = itemBytesMax - leftBytes - itemBytes(marshall({ ...item, filling: '' }))
  return { ...item, filling: 'x'.repeat(filling) }
}

describe('an item at the limit of 400 KB', () => {
  test('of a user without updated_at is unlinked, and keeps none', async () => {
    const w = await world()
    const { updated_at, ...user } = userItem(sampleUser(1, { saml: 7 }))
    const others = [sampleUser(2, { saml: 7 }), sampleUser(3, { saml: 7 })]
    await w.putProvider(sampleProvider(7), others)
    await w.put(filled(user), membershipItem(7, userId(1)), providerItem(sampleProvider(7), 3))
    const { affected_user } = (await w.remove(7)).json().data
    expect(affected_user.map(({ id }: { id: string }) => id)).toEqual([1, 2, 3].map(userId))
    const stored = (await w.items()).filter(({ SK }) => SK === 'USER')
    expect(stored.filter(({ saml_provider_id }) => saml_provider_id !== undefined)).toEqual([])
    expect(stored.map(item => 'updated_at' in item)).toEqual([false, true, true])
  })

  test('of a provider: it is removed, or nothing is changed and the log says why', async () => {
    const w = await world()
    /** Removes a provider whose item has room for so many bytes. */
    async function isRemoved(leftBytes: number): Promise<boolean> {
      const item = filled(providerItem(sampleProvider(7), 0), leftBytes)
      await w.put(item)
      const { status } = await w.remove(7)
      const [stored = {}] = await w.items()
      expect([stored.state, status]).toEqual(stored.state === 'active' ? ['active', 500] : ['removed', 200])
      if (stored.state === 'active') expect(stored).toEqual(item)
      return stored.state === 'removed'
    }
    expect([await isRemoved(0), await isRemoved(512)]).toEqual([false, true])
    for (let leftBytes = 64; leftBytes < 512; leftBytes += 64) await isRemoved(leftBytes)
    const message = 'provider 7 has no room for its removal: DynamoDB allows an item 400 KB'
    expect(w.logged).toContainEqual(expect.objectContaining({ event: 'unexpected_error', message }))
  })
})
