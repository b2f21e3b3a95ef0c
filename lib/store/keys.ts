import { parseProviderId } from '../domain/provider.ts'
import { isUserId } from '../domain/user-id.ts'

/** The table's primary key. */
export type Key = {
  PK: string
  SK: string
}

/** The items of one Query: those of a partition whose sort keys have a prefix. */
export interface Collection {
  PK: string
  prefix: string
}

/** All providers are in one partition, so that one strongly consistent Query lists them. */
export const providers: Collection = { PK: 'SAML_PROVIDERS', prefix: 'PROVIDER#' }

export const providerKey = (id: number): Key => ({
  PK: providers.PK,
  SK: `${providers.prefix}${String(id).padStart(10, '0')}`,
})

/** The memberships of a provider. */
export const membershipsOf = (providerId: number): Collection => ({
  PK: `SAML_PROVIDER#${providerId}`,
  prefix: userPrefix,
})

export const membershipKey = (providerId: number, userId: string): Key => ({
  PK: membershipsOf(providerId).PK,
  SK: `${userPrefix}${userId}`,
})

export const userKey = (id: string): Key => ({ PK: `${userPrefix}${id}`, SK: 'USER' })

/**
 * The provider's id in a key, or undefined for a key that is not a provider's.
 *
 * @example
 * providerIdOf({ SK: 'PROVIDER#0000000007' }) // 7
 * providerIdOf({ SK: 'PROVIDER#7' }) // undefined
 */
export function providerIdOf({ SK }: { SK?: unknown }): number | undefined {
  const text = String(SK)
  return /^PROVIDER#\d{10}$/.test(text)
    ? parseProviderId(String(Number(text.slice(providers.prefix.length))))
    : undefined
}

/** The user's id in a key, in its case, or undefined for a key that is not a membership's. */
export function memberIdOf({ SK }: { SK?: unknown }): string | undefined {
  const text = String(SK)
  const id = text.slice(userPrefix.length)
  return text.startsWith(userPrefix) && isUserId(id.toLowerCase()) ? id : undefined
}

export const userIdOf = ({ PK }: { PK?: unknown }): string => String(PK).slice(userPrefix.length)

const userPrefix = 'USER#'
