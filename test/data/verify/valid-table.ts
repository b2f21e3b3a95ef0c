import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { membershipItem, type Item, providerItem, userItem } from '../../../lib/store/items.ts'
import { nameOf } from '../../support/put-items.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'

export const daySeconds = 86_400

/** The end of the longest retention of a removal that begins now. */
export const longestRetention = (nowMs: number) => Math.floor(nowMs / 1000) + 3650 * daySeconds

/** Items by key, so that faults can be planted. */
export type Items = Map<string, Item>

/** Members that other services keep, in values of every type. */
const foreign = {
  digest: new Uint8Array([1, 2]),
  recovery_codes: new Set(['a', 'b']),
  serial: NumberValue.from('12345678901234567890'),
  history: [{ at: '2024-03-01T09:00:00+01:00', name: null }],
}

const isObject = (value: unknown): value is Item => Object.getPrototypeOf(value ?? 0) === Object.prototype

/** A value with members of other services in each of its maps. */
function withForeign<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withForeign) as T
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, withForeign(member)])
  return { ...Object.fromEntries(members), ...foreign }
}

/** What other services keep in a value and in the maps in it; undefined when there is nothing. */
export function foreignIn(value: unknown): unknown {
  if (Array.isArray(value)) {
    const elements = value.map(foreignIn)
    return elements.some(one => one !== undefined) ? elements : undefined
  }
  if (!isObject(value)) return undefined
  const kept = Object.entries(value)
    .map(([name, member]) => [name, Object.hasOwn(foreign, name) ? member : foreignIn(member)])
    .filter(([, member]) => member !== undefined)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

/**
 * A table without faults, in which other services keep members of their own in users and providers: the active providers 1 (of SSO provider 10) to 3 with users; provider 4, which is being
 * removed; provider 5, which was removed, with an unlinked member and an erased one.
 */
export function validItems(nowMs: number): Items {
  const now = Math.floor(nowMs / 1000)
  const removal = {
    removal_id: 'r',
    removed_by: 'test',
    removal_started_at: new Date(nowMs - 1000).toISOString(),
    retained_until: now + daySeconds,
  }
  const users = [
    sampleUser(1, { saml: 1 }),
    sampleUser(2, { saml: 1, sso: 10 }),
    sampleUser(3, { sso: 10 }),
    sampleUser(4, { saml: 2 }),
    sampleUser(5, { saml: 2, sso: 10 }),
    sampleUser(6, { saml: 4 }),
    sampleUser(7),
    sampleUser(8, { sso: 99 }),
    sampleUser(9, { saml: 3 }),
  ]
  const items = [
    ...users.map(user => withForeign(userItem(user))),
    ...[1, 2, 3, 5].map(n => membershipItem(1, userId(n))),
    ...[4, 5].map(n => membershipItem(2, userId(n))),
    membershipItem(3, userId(9)),
    membershipItem(4, userId(6)),
    membershipItem(4, userId(7), removal.retained_until),
    membershipItem(5, userId(7), removal.retained_until),
    membershipItem(5, userId(77), removal.retained_until),
    // Its provider was already deleted by TTL.
    membershipItem(6, userId(7), now - 1),
    membershipItem(6, userId(8), longestRetention(nowMs)),
    withForeign(providerItem(sampleProvider(1, 10), 4)),
    providerItem(sampleProvider(2), 2),
    providerItem(sampleProvider(3), 1),
    { ...providerItem(sampleProvider(4), 2), ...removal, state: 'removing' },
    {
      ...providerItem(sampleProvider(5), 2),
      ...removal,
      state: 'removed',
      expires_at: removal.retained_until,
    },
  ]
  return new Map(items.map(item => [nameOf(item), item]))
}
