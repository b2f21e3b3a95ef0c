import { describe, expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../lib/store/items.ts'
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

const never = new AbortController().signal
const values: [name: string, value: unknown][] = [
  ['a map', { state: 'active', is_disabled: true, expires_at: 1, id: 9 }],
  ['a map of maps', { M: { state: 'active' }, S: 'active', N: '1' }],
  ['a list', ['active']],
  ['a text', 'active'],
  ['a null', null],
]

describe.each(values)('an attribute named __proto__ that is %s', (_, value) => {
  const odd = { [placeholder]: value }

  test('in a provider, its members and a mapping costs no client the list, and is not shown', async () => {
    const w = await worldWithProto()
    await w.put({ ...providerItem(sampleProvider(7), 1), ...odd }, providerItem(sampleProvider(8), 0))
    await w.put({ ...membershipItem(7, userId(1)), ...odd })
    const { roles, AuthSecret, ...user } = userItem(sampleUser(1, { saml: 7 }))
    const oddRoles = (roles as object[]).map(role => ({ ...role, ...odd }))
    await w.put({ ...user, ...odd, roles: oddRoles, AuthSecret: { ...(AuthSecret as object), ...odd } })

    expect((await w.list()).json().data.saml_providers).toEqual([sampleProvider(7), sampleProvider(8)])
    const { text, json } = await w.remove(7)
    const { affected_user } = json().data
    expect(affected_user).toEqual([{ ...sampleUser(1), updated_at: affected_user[0].updated_at }])
    expect((await w.remove(7)).text).toBe(text)
  })

  test('does not stand for a malformed state of a provider', async () => {
    const w = await worldWithProto()
    await w.put({ ...providerItem(sampleProvider(7), 0), ...odd, state: 'unknown' })
    expect((await w.list()).json().data.saml_providers).toEqual([])
    expect((await w.remove(7)).status).toBe(404)
  })

  test('does not keep the scheduled run from finishing a removal', async () => {
    const w = await worldWithProto()
    const removal = { removal_id: 'r', removal_started_at: '2026-01-01T00:00:00.000Z', retained_until: 9e9 }
    await w.put({ ...providerItem(sampleProvider(7), 0), ...odd, ...removal, state: 'removing' })
    await w.clock.moving(
      w.deps.finishRemovals({ log: () => {}, signal: never, endsAtMs: w.clock.nowMs() + 1000 }),
    )
    expect((await w.items()).map(({ state }) => state)).toEqual(['removed'])
  })

  test("in the caller's own user decides nothing", async () => {
    const w = await worldWithProto()
    await w.put({ ...userItem(sampleUser(1)), ...odd })
    expect((await w.list({ token: w.token({ sub: userId(1) }) })).status).toBe(200)
  })
})
