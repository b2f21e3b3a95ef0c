import {
  type Field,
  nullableInt32,
  nullableString,
  nullableTime,
  texts,
  timestamp,
} from '../../../lib/domain/fields.ts'
import { isoTime } from '../../../lib/domain/iso-time.ts'
import { isJsonObject, type JsonObject } from '../../../lib/domain/json.ts'

/** The member of each wrapper that has the value. */
const valueNames = new Map<unknown, string>([
  [nullableTime, 'time'],
  [nullableInt32, 'int32'],
  [nullableString, 'string'],
])

/**
 * A resource in the API's form, where databases and other APIs have another one: a bare value or null in the place of a
 * wrapper, a wrapper with `Time` and `Valid` as in Go's `sql.NullTime`, null for an empty list or for no secret, and times
 * with microseconds or an offset. What is wrong stays as it is.
 */
export function asShown(shape: object, given: JsonObject): JsonObject {
  const fields = shape as Record<string, Field<unknown>>
  const members = Object.entries(given).map(([name, value]) => [name, shownAs(fields[name], value)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

function shownAs(field: Field<unknown> | undefined, given: unknown): unknown {
  const valueName = valueNames.get(field)
  if (valueName !== undefined) return wrapperOf(field as Field<unknown>, valueName, given)
  if (field === timestamp) return timeOf(given)
  if (field === texts) return given ?? []
  if (field?.nested === undefined) return given
  const { shape, isList } = field.nested
  if (given === null) return isList ? [] : undefined
  const inside = (value: unknown) => (isJsonObject(value) ? asShown(shape, value) : value)
  return Array.isArray(given) ? given.map(inside) : inside(given)
}

function wrapperOf(field: Field<unknown>, valueName: string, given: unknown): unknown {
  const wrapper = isJsonObject(given) ? inLowerCase(given) : { [valueName]: given, valid: given !== null }
  if (wrapper.valid === false) return field.decode(undefined)
  return field === nullableTime ? { ...wrapper, time: timeOf(wrapper.time) } : wrapper
}

const inLowerCase = (wrapper: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(wrapper).map(([name, value]) => [name.toLowerCase(), value]))

const timeOf = (given: unknown) => (isoTime(given) === undefined ? given : timestamp.decode(given))
