import { show, store } from '../domain/fields.ts'
import type { ProviderRecord, ProviderState } from '../domain/provider.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../domain/resources.ts'
import type { Member } from '../removal/ports.ts'
import type { Item } from './attribute-values.ts'
import { membershipKey, memberIdOf, providerIdOf, providerKey, userIdOf, userKey } from './keys.ts'
import { removalOf } from './removal-attributes.ts'

export type { Item }

/** An active provider as it is stored, with the number of users linked to it. */
export const providerItem = (provider: SamlProvider, memberCount: number): Item => ({
  ...providerKey(provider.id),
  ...store(samlProviderShape, provider),
  state: 'active',
  member_count: memberCount,
})

/** A user as it is stored. */
export const userItem = (user: User): Item => ({ ...userKey(user.id), ...store(userShape, user) })

/** A user's membership, which its key says; with `expiresAt` that of a user who is unlinked. */
export const membershipItem = (providerId: number, userId: string, expiresAt?: number): Item => ({
  ...membershipKey(providerId, userId),
  ...(expiresAt !== undefined && { expires_at: expiresAt }),
})

/** The user's fields, under the id of the item's key. */
export const userOf = (item: Item): User => ({ ...show(userShape, item), id: userIdOf(item) })

/** @returns undefined for an item that is no membership */
export function memberOf(item: Item): Member | undefined {
  const userId = memberIdOf(item)
  return userId === undefined ? undefined : { userId, expiresAt: item.expires_at }
}

/** @returns undefined for an item that is no provider, or one without a legal state: nobody may see it or sign in through it */
export function providerRecordOf(item: Item): ProviderRecord | undefined {
  const id = providerIdOf(item)
  if (id === undefined || !isState(item.state)) return undefined
  return {
    resource: { ...show(samlProviderShape, item), id },
    state: item.state,
    memberCount: isSafeInteger(item.member_count) && item.member_count >= 0 ? item.member_count : 0,
    removal: removalOf(item),
  }
}

const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const isState = (value: unknown): value is ProviderState =>
  value === 'active' || value === 'removing' || value === 'removed'
