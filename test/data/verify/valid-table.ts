import { membershipItem, type Item, providerItem, userItem } from '../../../lib/store/items.ts'
import type { Key } from '../../../lib/store/keys.ts'
import { sampleProvider, sampleUser, userId } from '../../support/samples.ts'

export const daySeconds = 86_400

/** Items by key, so that faults can be planted. */
export type Items = Map<string, Item>
export const placeOf = ({ PK, SK }: Key | Item) => `${PK} ${SK}`

/**
 * A table without faults: the active providers 1 (of SSO provider 10) to 3 with users; provider 4, which is being
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
    ...users.map(userItem),
    ...[1, 2, 3, 5].map(n => membershipItem(1, userId(n))),
    ...[4, 5].map(n => membershipItem(2, userId(n))),
    membershipItem(3, userId(9)),
    membershipItem(4, userId(6)),
    membershipItem(4, userId(7), removal.retained_until),
    membershipItem(5, userId(7), removal.retained_until),
    membershipItem(5, userId(77), removal.retained_until),
    // Its provider was already deleted by TTL.
    membershipItem(6, userId(7), now - 1),
    providerItem(sampleProvider(1, 10), 4),
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
  return new Map(items.map(item => [placeOf(item), item]))
}
