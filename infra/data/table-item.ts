import { parseProviderId } from '../../lib/domain/provider.ts'
import type { Item } from '../../lib/store/items.ts'
import { memberIdOf, providerIdOf, providers, userIdOf } from '../../lib/store/keys.ts'

/** The kind of an item by its key; `foreign`: a key that this service does not write. */
export type ItemKind =
  | { kind: 'provider'; providerId: number }
  | { kind: 'membership'; providerId: number; userId: string }
  | { kind: 'user'; userId: string }
  | { kind: 'foreign' }

/** Whether a text is a user's id: a UUID in lower case. */
export const isUserId = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)

export function kindOf(item: Item): ItemKind {
  const { PK, SK } = item
  if (SK === 'USER') {
    const userId = userIdOf(item)
    return PK === `USER#${userId}` && isUserId(userId) ? { kind: 'user', userId } : { kind: 'foreign' }
  }
  if (PK === providers.PK) {
    const providerId = providerIdOf(item)
    return providerId === undefined ? { kind: 'foreign' } : { kind: 'provider', providerId }
  }
  const providerId = parseProviderId(/^SAML_PROVIDER#(.+)$/.exec(String(PK))?.[1] ?? '')
  const userId = memberIdOf(item)
  return providerId === undefined || userId === undefined || !isUserId(userId)
    ? { kind: 'foreign' }
    : { kind: 'membership', providerId, userId }
}
