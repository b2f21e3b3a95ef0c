import { decode, nullableInt32 } from '../domain/fields.ts'
import { isoTime } from '../domain/iso-time.ts'
import {
  keptForEver,
  type Links,
  type ProviderRecord,
  type ProviderState,
  type Removal,
} from '../domain/provider.ts'
import { samlProviderShape, type User, userShape } from '../domain/resources.ts'
import { providerIdOf, userIdOf } from './keys.ts'

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

/**
 * Whether a membership has the mark of its provider's removal, which is the end of the retention. Of a removed provider, a
 * later time counts, too, and any when its end is malformed.
 */
export function isMarked({ expires_at: mark }: Item, { state, removal }: ProviderRecord): boolean {
  const { retainedUntil } = removal
  if (state !== 'removed' || typeof mark !== 'number') return mark === retainedUntil
  return mark >= retainedUntil || retainedUntil === keptForEver
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
    listedTotal: countIn(item.affected_total),
    removedAtMs: msOf(item.removed_at),
  }
}

const countIn = (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined

const isState = (value: unknown): value is ProviderState =>
  value === 'active' || value === 'removing' || value === 'removed'

const removalOf = (item: Item): Removal => ({
  id: typeof item.removal_id === 'string' ? item.removal_id : undefined,
  startedAtMs: msOf(item.removal_started_at),
  retainedUntil: isSeconds(item.retained_until) ? item.retained_until : keptForEver,
})

const msOf = (stored: unknown) => Date.parse(isoTime(stored) ?? '1970-01-01T00:00:00.000Z')

const isSeconds = (stored: unknown): stored is number => Number.isSafeInteger(stored) && Number(stored) > 0
