import { expect, test } from 'vitest'
import { type Item, membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { tapWire } from '../support/test-client.ts'
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

/** A text that must not occur in answers and logs. */
const marker = 'POISON'
const unknown = ['password_hash', 'valid', 'string', 'time', 'int32', 'toString', `${marker} name`]
const extras = Object.fromEntries(unknown.map(name => [name, { deep: [{ er: marker }], secret: marker }]))

/** Adds unknown attributes at every depth. */
function poisoned(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.map(poisoned), { ...value[0], ...extras }]
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries(value).map(([name, inner]) => [name, poisoned(inner)])
  return { ...Object.fromEntries(known), ...extras }
}

test('attributes outside the document are neither sent nor logged', async () => {
  const w = await world()
  const stored = [
    providerItem(sampleProvider(7, 70), 1),
    providerItem(sampleProvider(8), 0),
    userItem(sampleUser(1, { saml: 7 })),
    membershipItem(7, userId(1)),
    { ...userItem(sampleUser(2)), is_disabled: true },
  ]
  await w.put(...stored.map(item => poisoned(item) as Item))
  expect(JSON.stringify(await w.items())).toContain(marker)
  const [own, disabled] = [1, 2].map(n => ({ token: w.token({ sub: userId(n) }) }))
  const answers = [
    await w.list(),
    await w.list(disabled),
    await w.remove(7, disabled),
    await w.remove(7, own),
    await w.remove(99),
    await w.remove(7),
    await w.remove(7),
    await w.list(),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 409, 404, 200, 200, 200])
  const sent = answers.map(({ headers, text }) => [headers, String(text)])
  expect(JSON.stringify([sent, w.logged])).not.toContain(marker)
})
