import {
  type Field,
  flag,
  integer,
  isInt32,
  nullableInt32,
  nullableString,
  nullableTime,
  text,
  texts,
  timestamp,
} from '../../../lib/domain/fields.ts'
import { isoTime } from '../../../lib/domain/iso-time.ts'
import { isJsonObject, type JsonObject } from '../../../lib/domain/json.ts'

/** What is seen in a record besides its values. */
export interface Notes {
  /** Each names its field. */
  faults: string[]
  /** Fields that no provider or user has; `…` for a name that may be data of people. */
  unknown: Set<string>
}

/** The form of a field's value in a record. */
interface Form {
  /** The expected form, for messages. */
  expected: string
  /** Whether a value has this form. */
  fits(given: unknown): boolean
  /** Whether the value may be null or absent. */
  mayBeNull: boolean
  /** The member of the document's wrapper `{ [member]: value, valid: true }`. */
  member?: string | undefined
}

type Kind = [expected: string, fits: (given: unknown) => boolean]

const isText = (given: unknown) => typeof given === 'string' && given.isWellFormed()
const string: Kind = ['text', isText]
const strings: Kind = ['a list of texts', given => Array.isArray(given) && given.every(isText)]
const boolean: Kind = ['true or false', given => typeof given === 'boolean']
const safeInteger: Kind = ['a whole number of at most 9007199254740991', Number.isSafeInteger]
const int32: Kind = ['a whole number of 32 bits', isInt32]
const time: Kind = [
  'an ISO 8601 time such as 2026-01-31T09:30:00.000Z',
  given => isoTime(given) !== undefined,
]

const required = ([expected, fits]: Kind): Form => ({ expected, fits, mayBeNull: false })
const nullable = ([expected, fits]: Kind, member?: string): Form => ({
  expected,
  fits,
  mayBeNull: true,
  member,
})

const forms = new Map<object, Form>([
  [text, required(string)],
  [flag, required(boolean)],
  [integer, required(safeInteger)],
  [timestamp, nullable(time)],
  [texts, nullable(strings)],
  [nullableTime, nullable(time, 'time')],
  [nullableInt32, nullable(int32, 'int32')],
  [nullableString, nullable(string, 'string')],
])

type Shape = Readonly<Record<string, Field<unknown>>>

/**
 * Reads a resource from a record: a nullable value is bare, null, or in the document's wrapper.
 *
 * @param path the prefix of field names in the notes
 * @returns every field of the shape; not usable when there are faults
 */
export function readShape(shape: object, given: JsonObject, notes: Notes, path = ''): JsonObject {
  const read: Record<string, unknown> = {}
  // A stored member named `__proto__` may have become the prototype of the map.
  for (const name in shape)
    read[name] = readField(
      (shape as Shape)[name] as Field<unknown>,
      Object.hasOwn(given, name) ? given[name] : undefined,
      notes,
      path + name,
    )
  for (const name in given)
    if (!Object.hasOwn(shape, name))
      notes.unknown.add(`${path}${/^[a-z_]\w{0,59}$/i.test(name) ? name : '…'}`)
  return read
}

/** Reads one field. @returns not usable when there are faults */
function readField(field: Field<unknown>, given: unknown, notes: Notes, path: string): unknown {
  if (field.nested === undefined) return field.decode(readNative(field, given, notes, path))
  const { shape, isList } = field.nested
  if (given === undefined || given === null) return field.decode(undefined)
  const maps = isList ? given : [given]
  if (!Array.isArray(maps) || !maps.every(isJsonObject)) {
    notes.faults.push(
      `${path} must be ${isList ? 'a list of objects' : 'an object or null'}, and is ${kindInWords(given)}`,
    )
    return undefined
  }
  const read = maps.map(map => readShape(shape, map, notes, `${path}.`))
  return isList ? read : read[0]
}

/** The native value; undefined when it is absent or has a fault. */
function readNative(field: Field<unknown>, given: unknown, notes: Notes, path: string): unknown {
  const form = forms.get(field)
  if (form === undefined) throw new Error(`the field ${path} has no form`)
  const value = form.member === undefined ? given : unwrapped(form.member, given)
  if (form.mayBeNull && (value === undefined || value === null)) return undefined
  // JSON has a negative zero, the table has not.
  if (form.fits(value)) return value === 0 ? 0 : value
  notes.faults.push(
    value === undefined
      ? `${path} is missing`
      : `${path} must be ${form.expected}${form.mayBeNull ? ' or null' : ''}, and is ${kindInWords(given)}`,
  )
  return undefined
}

/** The value of a wrapper, or the bare value. */
function unwrapped(member: string, given: unknown): unknown {
  if (!isJsonObject(given)) return given
  return given.valid === false ? null : given.valid === true ? (given[member] ?? given) : given
}

/** The kind of a value: the value may be people's data, and a message may be kept in a log. */
export function kindInWords(given: unknown): string {
  if (given === null) return 'null'
  if (Array.isArray(given)) return 'a list'
  return { string: 'a text', object: 'an object' }[typeof given as string] ?? `a ${typeof given}`
}

/** An id or a name in a message, at most 60 characters. */
export function shown(given: unknown): string {
  const json = JSON.stringify(given ?? null)
  return json.length <= 60 ? json : `${json.slice(0, 60)}…`
}
