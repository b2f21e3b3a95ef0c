import { parseProviderId } from '../../../lib/domain/provider.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import {
  memberIdOf,
  membershipsOf,
  providerIdOf,
  providers,
  userIdOf,
  userKey,
} from '../../../lib/store/keys.ts'
import { isMalformed } from '../../../lib/store/users.ts'

/** The kind of an item by its key; `foreign`: a key that this service does not write. */
export type ItemKind =
  | { kind: 'provider' }
  | { kind: 'membership'; providerId: number; userId: string }
  | { kind: 'user'; userId: string }
  | { kind: 'foreign' }

/** The kind of an item; lib/store/keys.ts has the forms of the keys. */
export const kindOf = (item: Item): ItemKind =>
  asUser(item) ?? asProvider(item) ?? asMembership(item) ?? { kind: 'foreign' }

function asUser(item: Item): ItemKind | undefined {
  const userId = userIdOf(item)
  const isKey = item.SK === 'USER' && item.PK === userKey(userId).PK
  return isKey && isUserId(userId) ? { kind: 'user', userId } : undefined
}

function asProvider(item: Item): ItemKind | undefined {
  const isKey = item.PK === providers.PK && providerIdOf(item) !== undefined
  return isKey ? { kind: 'provider' } : undefined
}

function asMembership(item: Item): ItemKind | undefined {
  const providerId = parseProviderId(String(item.PK).split('#')[1] ?? '')
  if (providerId === undefined || item.PK !== membershipsOf(providerId).PK) return undefined
  const userId = memberIdOf(item)
  return userId === undefined ? undefined : { kind: 'membership', providerId, userId }
}

/** Whether a key begins like one of this service. */
export const isLikeOurs = ({ PK, SK }: Item): boolean =>
  /^(SAML_PROVIDERS PROVIDER#|SAML_PROVIDER#\S* USER#|USER#\S* USER$)/.test(`${PK} ${SK}`)

/** Why the service does not find an item, or reads it otherwise than it is stored. */
export function unreadableIn(item: Item): string[] {
  const { kind } = kindOf(item)
  if (kind === 'provider' && providerRecordOf(item) === undefined)
    return ['its state is unknown: it is not listed']
  if (kind === 'user' && isMalformed(item))
    return ['is_disabled, deleted_at or a link cannot be read: the service refuses this user']
  return kind === 'foreign' && isLikeOurs(item) ? ['the service does not find an item with such a key'] : []
}
