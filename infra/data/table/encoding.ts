import {
  type Field,
  nullableInt32,
  nullableString,
  nullableTime,
  timestamp,
} from '../../../lib/domain/fields.ts'
import { zeroTime } from '../../../lib/domain/iso-time.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'
import { membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'

/** An active provider with its number of linked users, as it is stored. */
export const providerItem = (provider: SamlProvider, memberCount: number): Item => ({
  ...providerKey(provider.id),
  ...encode(samlProviderShape, provider),
  state: 'active',
  member_count: memberCount,
})

export const userItem = (user: User): Item => ({ ...userKey(user.id), ...encode(userShape, user) })

export const membershipItem = (providerId: number, userId: string): Item => membershipKey(providerId, userId)

/** The fields that are stored otherwise than the document shows them. */
const encoders = new Map<unknown, (shown: never) => unknown>([
  [timestamp, (time: string) => (time === zeroTime ? undefined : time)],
  [nullableTime, ({ time, valid }: { time: string; valid: boolean }) => (valid ? time : undefined)],
  [nullableInt32, ({ int32, valid }: { int32: number; valid: boolean }) => (valid ? int32 : undefined)],
  [nullableString, ({ string, valid }: { string: string; valid: boolean }) => (valid ? string : undefined)],
])

/** @returns the native value of a field, or undefined for an absent attribute */
function encodeField(field: Field<unknown>, shown: unknown): unknown {
  const { nested } = field
  if (nested === undefined) return encoders.has(field) ? encoders.get(field)?.(shown as never) : shown
  if (shown === undefined) return undefined
  const encodeMap = (map: unknown) => encode(nested.shape, map as Record<string, unknown>)
  return nested.isList ? (shown as unknown[]).map(encodeMap) : encodeMap(shown)
}

/** Encodes a resource as native attributes, without absent ones. */
function encode(shape: object, resource: Readonly<Record<string, unknown>>): Item {
  const attributes = Object.entries(shape as Readonly<Record<string, Field<unknown>>>).map(
    ([name, field]) => [name, encodeField(field, resource[name])] as const,
  )
  return Object.fromEntries(attributes.filter(([, value]) => value !== undefined))
}
