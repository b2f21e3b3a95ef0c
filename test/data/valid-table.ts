import { membershipItem, providerItem } from '../../infra/data/table/encoding.ts'
import type { Item } from '../../lib/store/items.ts'
import { type Key, membershipKey, providerKey, userKey } from '../../lib/store/keys.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { itemsOf } from './scenario.ts'

/** New values of attributes, or of the links `saml` and `sso`; undefined removes a value, or an item. */
export type Changes = Record<string, Item | undefined>

/** A key by a short name: `P1` a provider, `U4` a user, `M1.4` the user's membership of the provider; or as `PK SK`. */
export function keyOf(name: string): Key {
  const [, kind, first, second] = /^([PUM])(\d+)(?:\.(\d+))?$/.exec(name) ?? []
  if (kind === 'P') return providerKey(Number(first))
  if (kind === 'U') return userKey(userId(Number(first)))
  if (kind === 'M') return membershipKey(Number(first), userId(Number(second)))
  const [PK = '', SK = ''] = name.split(' ')
  return { PK, SK }
}

/** The links of the users 1 to 9. */
const links: Links[] = [
  ...[{ saml: 1 }, { saml: 1, sso: 10 }, { sso: 10 }, { saml: 2 }, { saml: 2, sso: 10 }],
  ...[{ saml: 4 }, {}, { sso: 99 }, { saml: 3 }],
]
const users = links.map((link, index) => sampleUser(index + 1, link))

/** The time at which a scenario begins. */
const nowSeconds = fakeClock().nowMs() / 1000
const daySeconds = 86_400
const retainedUntil = nowSeconds + daySeconds
const removal = {
  removal_id: 'r',
  removed_by: 'test',
  removal_started_at: new Date(nowSeconds * 1000 - 1000).toISOString(),
  retained_until: retainedUntil,
}
const ofRemoved = { ...removal, state: 'removed', expires_at: retainedUntil, affected_total: 2 }
const marked = (id: number, n: number, expires_at = retainedUntil) => ({
  ...membershipItem(id, userId(n)),
  expires_at,
})

/**
 * A table without faults: the active providers 1 (of SSO provider 10) to 3 with users; provider 4, which is being removed;
 * provider 5, which was removed, with an unlinked member and an erased one, of three that were counted; memberships of
 * provider 6, which was already deleted by TTL.
 */
const validTable: Item[] = [
  ...itemsOf([sampleProvider(1, 10), sampleProvider(2), sampleProvider(3)], users),
  { ...providerItem(sampleProvider(4), 2), ...removal, state: 'removing' },
  ...[membershipItem(4, userId(6)), marked(4, 7)],
  { ...providerItem(sampleProvider(5), 3), ...ofRemoved },
  ...[marked(5, 7), marked(5, 77)],
  ...[marked(6, 7, nowSeconds - 1), marked(6, 8, nowSeconds + 3650 * daySeconds)],
]

/** The items of the valid table after changes of those with these names. */
export function changedTable(changes: Changes): Item[] {
  const items = new Map(validTable.map(item => [`${item.PK} ${item.SK}`, item]))
  for (const [name, values] of Object.entries(changes)) {
    const key = keyOf(name)
    const place = `${key.PK} ${key.SK}`
    if (values === undefined) items.delete(place)
    else items.set(place, withoutUndefined({ ...key, ...items.get(place), ...withLinks(values) }))
  }
  return [...items.values()]
}

const withLinks = (values: Item): Item =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name.replace(/^(saml|sso)$/, '$1_provider_id'), value]),
  )

const withoutUndefined = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined))
