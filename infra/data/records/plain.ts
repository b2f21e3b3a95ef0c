import type { Field } from '../../../lib/domain/fields.ts'

type Shape = Readonly<Record<string, Field<unknown>>>

/** Encodes a resource with bare values: every field, null for an absent one. */
export function plainOf(shape: object, shown: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape as Shape).map(([name, field]) => [name, plainField(field, shown[name])]),
  )
}

function plainField(field: Field<unknown>, shown: unknown): unknown {
  if (field.nested === undefined) return field.encode(shown) ?? null
  const { shape, isList } = field.nested
  if (shown === null) return null
  return isList
    ? (shown as Record<string, unknown>[]).map(one => plainOf(shape, one))
    : plainOf(shape, shown as Record<string, unknown>)
}
