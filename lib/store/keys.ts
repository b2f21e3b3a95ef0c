import { parseProviderId } from '../domain/provider.ts'

/** The table's primary key. */
export interface Key {
  PK: string
  SK: string
}

/** Items that one Query reads: the sort keys of a partition that begin alike. Whatever else stands there is not read. */
export interface Collection {
  PK: string
  prefix: string
}

/** One partition holds all providers, so that one strongly consistent Query lists them. */
export const providers: Collection = { PK: 'SAML_PROVIDERS', prefix: 'PROVIDER#' }

export const providerKey = (id: number): Key => ({
  PK: providers.PK,
  SK: `${providers.prefix}${String(id).padStart(10, '0')}`,
})

export const members = (providerId: number): Collection => ({
  PK: `SAML_PROVIDER#${providerId}`,
  prefix: userPrefix,
})

export const membershipKey = (providerId: number, userId: string): Key => ({
  PK: members(providerId).PK,
  SK: `${userPrefix}${userId}`,
})

export const userKey = (id: string): Key => ({ PK: `${userPrefix}${id}`, SK: 'USER' })

/**
 * Which provider an item is: its key decides, whatever its attributes say.
 *
 * @returns undefined for a key that is no provider's
 */
export function providerIdOf({ SK }: { SK?: unknown }): number | undefined {
  const [, digits] = /^PROVIDER#(\d{10})$/.exec(String(SK)) ?? []
  return digits === undefined ? undefined : parseProviderId(digits.replace(/^0+/, ''))
}

/**
 * Whose membership an edge is, in the case in which the key has it.
 *
 * @returns undefined for a key that is no edge's
 */
export function memberIdOf({ SK }: { SK?: unknown }): string | undefined {
  const [, id] = /^USER#([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.exec(String(SK)) ?? []
  return id
}

/** Whose item a user's is. */
export const userIdOf = ({ PK }: { PK?: unknown }): string => String(PK).slice(userPrefix.length)

const userPrefix = 'USER#'
