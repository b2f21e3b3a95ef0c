import { expect, test } from 'vitest'
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
  {
    ...{ state: 'active', is_disabled: true, expires_at: 1, id: 9 },
    // The items do not have these: a member of a prototype would be shown in their place.
    ...{ deleted_at: '2024-03-03T00:00:00.000Z', last_name: 'Other', sso_provider_id: 9 },
  },
  { M: { state: 'active' }, S: 'active', N: '1' },
  ['active'],
  'active',
  null,
].map(value => ({ [placeholder]: value }))

test('an attribute named __proto__, of any type and at any depth, costs no client the list, and is not shown', async () => {
  const w = await worldWithProto()
  const ids = odds.map((_, index) => index + 1)
  const items = odds.flatMap((odd, index): Item[] => {
    const id = index + 1
    const { roles, AuthSecret, ...user } = userItem(sampleUser(id, { saml: id }))
    const oddRoles = (roles as object[]).map(role => ({ ...role, ...odd }))
    return [
      { ...providerItem(sampleProvider(id), 1), ...odd },
      { ...membershipItem(id, userId(id)), ...odd },
      { ...user, ...odd, roles: oddRoles, AuthSecret: { ...(AuthSecret as object), ...odd } },
    ]
  })
  await w.put(...items)
  expect((await w.list()).json().data.saml_providers).toEqual(ids.map(id => sampleProvider(id)))
  for (const id of ids) {
    const { text, json } = await w.remove(id)
    const { affected_user } = json().data
    expect(affected_user).toEqual([{ ...sampleUser(id), updated_at: affected_user[0].updated_at }])
    expect((await w.remove(id)).text).toBe(text)
  }
})
