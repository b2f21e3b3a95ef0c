import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { decode, nullableInt32 } from '../domain/fields.ts'
import type { Links, ProviderRecord, ProviderState } from '../domain/provider.ts'
import { samlProviderShape, type User, userShape } from '../domain/resources.ts'
import type { Member } from '../removal/ports.ts'
import { memberIdOf, providerIdOf, userIdOf } from './keys.ts'
import { removalOf } from './removal-attributes.ts'

/** An item of the table, with native values. */
export type Item = Record<string, unknown>

/** The user of an item, with the id of its key. */
export function userOf(item: Item): User {
  const user = decode(userShape, item)
  user.id = userIdOf(item)
  return user
}

export const linksOf = (user: Item): Links => ({
  saml_provider_id: nullableInt32.decode(user.saml_provider_id),
  sso_provider_id: nullableInt32.decode(user.sso_provider_id),
})

/** Undefined when the item is not a membership. */
export function memberOf(item: Item): Member | undefined {
  const userId = memberIdOf(item)
  return userId === undefined ? undefined : { userId, expiresAt: numberIn(item.expires_at) }
}

/** A number that JavaScript would round is rounded. */
function numberIn(value: unknown): number | undefined {
  if (value instanceof NumberValue) return Number(value.value)
  return typeof value === 'number' ? value : undefined
}

/** Undefined when the item is not a provider or has no valid state: it is not listed. */
export function providerRecordOf(item: Item): ProviderRecord | undefined {
  const id = providerIdOf(item)
  if (id === undefined || !isState(item.state)) return undefined
  const resource = decode(samlProviderShape, item)
  resource.id = id
  return {
    resource,
    state: item.state,
    memberCount: countIn(item.member_count),
    removal: removalOf(item),
    affectedTotal: countIn(item.affected_total),
  }
}

const countIn = (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined

const isState = (value: unknown): value is ProviderState =>
  value === 'active' || value === 'removing' || value === 'removed'
