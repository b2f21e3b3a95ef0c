import { parseProviderId } from '../../../lib/domain/provider.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import type { Item } from '../../../lib/store/items.ts'
import { memberIdOf, members, providerIdOf, providers, userIdOf, userKey } from '../../../lib/store/keys.ts'

/** The kind of an item by its key; `foreign`: a key that this service does not write. */
export type ItemKind =
  | { kind: 'provider'; providerId: number }
  | { kind: 'membership'; providerId: number; userId: string }
  | { kind: 'user'; userId: string }
  | { kind: 'foreign' }

/** The kind of an item; lib/store/keys.ts has the forms of the keys. */
export function kindOf(item: Item): ItemKind {
  const { PK, SK } = item
  if (SK === 'USER') {
    const userId = userIdOf(item)
    return PK === userKey(userId).PK && isUserId(userId) ? { kind: 'user', userId } : { kind: 'foreign' }
  }
  if (PK === providers.PK) {
    const providerId = providerIdOf(item)
    return providerId === undefined ? { kind: 'foreign' } : { kind: 'provider', providerId }
  }
  const providerId = parseProviderId(String(PK).split('#')[1] ?? '')
  const userId = memberIdOf(item)
  if (providerId === undefined || PK !== members(providerId).PK) return { kind: 'foreign' }
  return userId !== undefined && isUserId(userId)
    ? { kind: 'membership', providerId, userId }
    : { kind: 'foreign' }
}

/** Whether a key begins like one of this service. */
export const isLikeOurs = ({ PK, SK }: Item): boolean =>
  /^(SAML_PROVIDERS PROVIDER#|SAML_PROVIDER#\S* USER#|USER#\S* USER$)/.test(`${PK} ${SK}`)
