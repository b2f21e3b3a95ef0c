import { type Field, nullableInt32, nullableString, nullableTime, texts } from '../../../lib/domain/fields.ts'
import { isJsonObject, type JsonObject } from '../../../lib/domain/json.ts'

/** How a value of each kind is shown, whatever its form was. */
const shown = new Map<unknown, (given: unknown) => unknown>([
  [nullableTime, given => wrapperOf(nullableTime, 'time', given)],
  [nullableInt32, given => wrapperOf(nullableInt32, 'int32', given)],
  [nullableString, given => wrapperOf(nullableString, 'string', given)],
  [texts, given => given ?? []],
])

/**
 * A resource in the API's form, where databases and other APIs have another one: a bare value or null in the place of a
 * wrapper, a wrapper with `Time` and `Valid` as in Go's `sql.NullTime`, null for an empty list or for no secret. Times with
 * microseconds or an offset, and what is wrong, stay as they are.
 */
export function inApiForm(shape: object, given: JsonObject): JsonObject {
  const fields = shape as Record<string, Field<unknown>>
  const members = Object.entries(given).map(
    ([name, value]) => [name, fieldInApiForm(fields[name], value)] as const,
  )
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

function fieldInApiForm(field: Field<unknown> | undefined, given: unknown): unknown {
  const show = shown.get(field)
  if (show !== undefined) return show(given)
  if (field?.nested === undefined) return given
  const { shape, isList } = field.nested
  if (given === null) return isList ? [] : undefined
  const inside = (value: unknown) => (isJsonObject(value) ? inApiForm(shape, value) : value)
  return Array.isArray(given) ? given.map(inside) : inside(given)
}

function wrapperOf(field: Field<unknown>, valueName: string, given: unknown): unknown {
  const wrapper = isJsonObject(given) ? inLowerCase(given) : { [valueName]: given, valid: given !== null }
  return wrapper.valid === false ? field.decode(undefined) : wrapper
}

const inLowerCase = (wrapper: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(wrapper).map(([name, value]) => [name.toLowerCase(), value]))
