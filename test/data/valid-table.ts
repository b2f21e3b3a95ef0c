import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import type { Item } from '../../lib/store/items.ts'
import { type Key, membershipKey, providerKey, userKey } from '../../lib/store/keys.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'

const daySeconds = 86_400
/** The time at which a scenario begins. */
const nowSeconds = fakeClock().nowMs() / 1000
const retainedUntil = nowSeconds + daySeconds

/** Items by short names: `P1` a provider, `U4` a user, `M1.4` the user's membership of the provider; others by key. */
export type Items = Record<string, Item>

/** New values of attributes, or of the links `saml` and `sso`; undefined removes a value, or an item. */
export type Changes = Record<string, Item | undefined>

/** The key of an item by its short name. */
export function keyOf(name: string): Key {
  const [kind, ids] = [name[0], name.slice(1).split('.').map(Number)]
  const [first = 0, second = 0] = ids
  if (/^P\d+$/.test(name)) return providerKey(first)
  if (/^U\d+$/.test(name)) return userKey(userId(first))
  if (kind === 'M') return membershipKey(first, userId(second))
  const [PK = '', SK = ''] = name.split(' ')
  return { PK, SK }
}

/** The items after changes. */
export function changed(items: Items, changes: Changes): Items {
  const after = { ...items }
  for (const [name, values] of Object.entries(changes)) {
    delete after[name]
    if (values === undefined) continue
    const own = Object.entries({ ...keyOf(name), ...items[name], ...named(values) })
    after[name] = Object.fromEntries(own.filter(([, value]) => value !== undefined))
  }
  return after
}

const named = (values: Item): Item =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name.replace(/^(saml|sso)$/, '$1_provider_id'), value]),
  )

/** Members that other services keep, in values of every type. */
const foreign = {
  digest: new Uint8Array([1, 2]),
  recovery_codes: new Set(['a', 'b']),
  serial: NumberValue.from('12345678901234567890'),
  history: [{ at: '2024-03-01T09:00:00+01:00', name: null }],
}

/** A value with members of other services in each of its maps. */
function withForeign<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withForeign) as T
  if (Object.getPrototypeOf(value ?? 0) !== Object.prototype) return value
  const members = Object.entries(value as Item).map(([name, member]) => [name, withForeign(member)])
  return { ...Object.fromEntries(members), ...foreign }
}

/** The attributes of a removal that has just begun. */
const removal = {
  removal_id: 'r',
  removed_by: 'test',
  removal_started_at: new Date(nowSeconds * 1000 - 1000).toISOString(),
  retained_until: retainedUntil,
}
const user = (n: number, links?: Links) => withForeign(userItem(sampleUser(n, links)))
const provider = (id: number, members: number, more: Item = {}, sso?: number) => ({
  ...providerItem(sampleProvider(id, sso), members),
  ...more,
})
const member = (id: number, n: number, expires_at?: number) => ({
  ...membershipItem(id, userId(n)),
  ...(expires_at !== undefined && { expires_at }),
})

/**
 * A table without faults, in which other services keep members of their own in users and providers: the active providers 1
 * (of SSO provider 10) to 3 with users; provider 4, which is being removed; provider 5, which was removed, with an unlinked
 * member and an erased one, of three that were counted; memberships of provider 6, which was already deleted by TTL.
 */
export const validTable: Items = {
  ...{ U1: user(1, { saml: 1 }), U2: user(2, { saml: 1, sso: 10 }), U3: user(3, { sso: 10 }) },
  ...{ U4: user(4, { saml: 2 }), U5: user(5, { saml: 2, sso: 10 }), U6: user(6, { saml: 4 }) },
  ...{ U7: user(7), U8: { ...user(8, { sso: 99 }), AuthSecret: foreign }, U9: user(9, { saml: 3 }) },
  ...{ 'M1.1': member(1, 1), 'M1.2': member(1, 2), 'M1.3': member(1, 3), 'M1.5': member(1, 5) },
  ...{ 'M2.4': member(2, 4), 'M2.5': member(2, 5), 'M3.9': member(3, 9) },
  ...{ 'M4.6': member(4, 6), 'M4.7': member(4, 7, retainedUntil) },
  ...{ 'M5.7': member(5, 7, retainedUntil), 'M5.77': member(5, 77, retainedUntil) },
  ...{ 'M6.7': member(6, 7, nowSeconds - 1), 'M6.8': member(6, 8, nowSeconds + 3650 * daySeconds) },
  ...{ P1: withForeign(provider(1, 4, {}, 10)), P2: provider(2, 2), P3: provider(3, 1) },
  P4: provider(4, 2, { ...removal, state: 'removing' }),
  P5: provider(5, 3, { ...removal, state: 'removed', expires_at: retainedUntil, affected_total: 2 }),
}
