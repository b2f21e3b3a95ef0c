import type { Field } from '../../../lib/domain/fields.ts'
import { isJsonObject, type JsonObject } from '../../../lib/domain/json.ts'
import { forms } from './forms.ts'

/** `document`: nullable values in wrappers. `plain`: the bare value, null, or Go's `{ "Time": …, "Valid": … }`. */
export type Dialect = 'document' | 'plain'

/** What is seen in records besides their values. */
export interface Seen {
  dialects: Set<Dialect>
  /** Fields that no provider or user has. */
  unknown: Set<string>
}

/** Faults and remarks about a record. */
export interface Notes extends Seen {
  /** Each names its field. */
  faults: string[]
}

type Shape = Readonly<Record<string, Field<unknown>>>

/**
 * Reads a resource from a record in either dialect.
 *
 * @param path the prefix of field names in the notes
 * @returns every field of the shape; not usable when there are faults
 */
export function readShape(shape: object, given: JsonObject, notes: Notes, path = ''): JsonObject {
  const read: Record<string, unknown> = {}
  for (const name in shape)
    read[name] = readField((shape as Shape)[name] as Field<unknown>, given[name], notes, path + name)
  for (const name in given) if (!Object.hasOwn(shape, name)) notes.unknown.add(path + name)
  return read
}

/** Reads one field. @returns not usable when there are faults */
export function readField(field: Field<unknown>, given: unknown, notes: Notes, path: string): unknown {
  if (field.nested === undefined) return field.decode(readNative(field, given, notes, path))
  const { shape, isList } = field.nested
  if (given === undefined || given === null) return field.decode(undefined)
  const maps = isList ? given : [given]
  if (!Array.isArray(maps) || !maps.every(isJsonObject)) {
    notes.faults.push(
      `${path} must be ${isList ? 'a list of objects' : 'an object or null'}, and is ${shown(given)}`,
    )
    return undefined
  }
  const read = maps.map(one => readShape(shape, one, notes, `${path}.`))
  return isList ? read : read[0]
}

/** The native value; undefined when it is absent or has a fault. */
function readNative(field: Field<unknown>, given: unknown, notes: Notes, path: string): unknown {
  const form = forms.get(field)
  if (form === undefined) throw new Error(`the field ${path} has no form`)
  const { value, dialect } = form.member === undefined ? { value: given } : unwrap(form.member, given)
  if (dialect !== undefined) notes.dialects.add(dialect)
  if (form.mayBeNull && (value === undefined || value === null)) return undefined
  // JSON has a negative zero, the table has not.
  if (form.fits(value)) return value === 0 ? 0 : value
  notes.faults.push(
    value === undefined
      ? `${path} is missing`
      : `${path} must be ${form.expected}${form.mayBeNull ? ' or null' : ''}, and is ${shown(given)}`,
  )
  return undefined
}

/** The value of a wrapper, or the bare value. */
function unwrap(member: string, given: unknown): { value: unknown; dialect: Dialect } {
  if (!isJsonObject(given)) return { value: given, dialect: 'plain' }
  if (given.valid === true) return { value: given[member] ?? given, dialect: 'document' }
  if (given.valid === false) return { value: null, dialect: 'document' }
  if (given.Valid === true) return { value: given[capitalised(member)] ?? given, dialect: 'plain' }
  if (given.Valid === false) return { value: null, dialect: 'plain' }
  return { value: given, dialect: 'plain' }
}

const capitalised = (name: string) => name.replace(/^./, first => first.toUpperCase())

/** A value in a message, at most 60 characters. */
export function shown(given: unknown): string {
  const json = JSON.stringify(given ?? null)
  return json.length <= 60 ? json : `${json.slice(0, 60)}…`
}
