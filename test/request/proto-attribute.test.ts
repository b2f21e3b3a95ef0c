import { describe, expect, test } from 'vitest'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { tapWire } from '../support/wire.ts'
import { world } from '../support/world.ts'

/** Stands in the table for the name `__proto__`, which JavaScript gives to no plain property. */
const placeholder = 'named-proto'

/** A world in whose replies of DynamoDB the placeholder is `__proto__`. */
async function worldWithProto() {
  const w = await world()
  tapWire(w.client, ({ headers: { 'x-amz-crc32': _, ...headers }, ...reply }) => ({
    ...reply,
    headers,
    body: Buffer.from(String(reply.body).replaceAll(placeholder, '__proto__')),
  }))
  return w
}

/** Attributes of a map, a map of maps, a list, a text and a null, for provider and user 1 to 5. */
const odds: Item[] = [
  { state: 'active', is_disabled: true, expires_at: 1, id: 9 },
  { M: { state: 'active' }, S: 'active', N: '1' },
  ['active'],
  'active',
  null,
].map(value => ({ [placeholder]: value }))
const ids = odds.map((_, index) => index + 1)

/** A provider for each odd attribute, which also has these ones. */
const oddProviders = (count: number, more: Item = {}) =>
  odds.map((odd, n) => ({ ...providerItem(sampleProvider(n + 1), count), ...odd, ...more }))

describe('an attribute named __proto__, of any type,', () => {
  test('in a provider, its members and a mapping costs no client the list, and is not shown', async () => {
    const w = await worldWithProto()
    const members = odds.flatMap((odd, index): Item[] => {
      const { roles, AuthSecret, ...user } = userItem(sampleUser(index + 1, { saml: index + 1 }))
      const oddRoles = (roles as object[]).map(role => ({ ...role, ...odd }))
      const oddUser = { ...user, ...odd, roles: oddRoles, AuthSecret: { ...(AuthSecret as object), ...odd } }
      return [oddUser, { ...membershipItem(index + 1, userId(index + 1)), ...odd }]
    })
    await w.put(...oddProviders(1), ...members)
    expect((await w.list()).json().data.saml_providers).toEqual(ids.map(id => sampleProvider(id)))
    for (const id of ids) {
      const { text, json } = await w.remove(id)
      const { affected_user } = json().data
      expect(affected_user).toEqual([{ ...sampleUser(id), updated_at: affected_user[0].updated_at }])
      expect((await w.remove(id)).text).toBe(text)
    }
  })

  test('does not stand for a malformed state of a provider', async () => {
    const w = await worldWithProto()
    await w.put(...oddProviders(0, { state: 'unknown' }))
    expect((await w.list()).json().data.saml_providers).toEqual([])
    for (const id of ids) expect((await w.remove(id)).status).toBe(404)
  })
})
