import { isoTime, zeroTime } from './iso-time.ts'

/**
 * One field of the document, as it is read from the table.
 *
 * Decoding never throws: a stored value of a wrong type counts as absent, because one malformed attribute must not cost a
 * client its list.
 */
export interface Field<Decoded> {
  /** @param stored the native value, or undefined when the attribute is absent */
  decode(stored: unknown): Decoded
  /** The fields of the map, or of each map in the list. */
  readonly nested?: { shape: object; isList: boolean }
}

/** A resource as the document shows it. */
export type Decoded<S> = { -readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never }

/** A value in the document's wrapper: its zero when it is not valid. */
type Nullable<Name extends string, T> = Record<Name, T> & { valid: boolean }

const canonicalZero = isoTime(zeroTime)

/** A text; an absent one is empty. */
export const text: Field<string> = { decode: stored => (typeof stored === 'string' ? stored : '') }

/** A boolean; an absent one is false. */
export const flag: Field<boolean> = { decode: stored => stored === true }

/** A safe integer; an absent one is 0. */
export const integer: Field<number> = {
  decode: stored => (Number.isSafeInteger(stored) ? (stored as number) : 0),
}

/** ISO 8601 UTC with milliseconds; an absent one is the zero time. */
export const timestamp: Field<string> = { decode: stored => instant(stored) ?? zeroTime }

export const nullableTime: Field<Nullable<'time', string>> = {
  decode: stored => {
    const time = instant(stored)
    return time === undefined ? { time: zeroTime, valid: false } : { time, valid: true }
  },
}

export const nullableInt32: Field<Nullable<'int32', number>> = {
  decode: stored => (isInt32(stored) ? { int32: stored, valid: true } : { int32: 0, valid: false }),
}

export const nullableString: Field<Nullable<'string', string>> = {
  decode: stored =>
    typeof stored === 'string' ? { string: stored, valid: true } : { string: '', valid: false },
}

/** A list of texts, without elements of another type. */
export const texts: Field<string[]> = {
  decode: stored => (Array.isArray(stored) ? stored.filter(element => typeof element === 'string') : []),
}

/** A list of maps. An element without a valid value in each of the fields that identify it is omitted. */
export function listOf<const S>(shape: S, ids: readonly (keyof S)[]): Field<Decoded<S>[]> {
  const element = optional(shape, ids)
  return {
    decode: stored =>
      Array.isArray(stored) ? stored.map(element.decode).filter(value => value !== undefined) : [],
    nested: { shape: shape as object, isList: true },
  }
}

/** A map; undefined, which JSON leaves out, without a valid value in each of the fields that identify it. */
export function optional<const S>(shape: S, ids: readonly (keyof S)[]): Field<Decoded<S> | undefined> {
  return {
    decode: stored => {
      const map = asMap(stored)
      if (map === undefined) return undefined
      const value = decode(shape, map)
      return ids.every(id => value[id] === map[id as string]) ? value : undefined
    },
    nested: { shape: shape as object, isList: false },
  }
}

/**
 * Decodes a stored map: every field of the shape, in its order, and nothing else.
 *
 * Only own members are read: a stored member named `__proto__` may have become the prototype of the map.
 */
export function decode<const S>(shape: S, stored: Readonly<Record<string, unknown>>): Decoded<S> {
  const value: Record<string, unknown> = {}
  for (const name in shape) {
    const attribute = Object.hasOwn(stored, name) ? stored[name] : undefined
    value[name] = (shape[name] as Field<unknown>).decode(attribute)
  }
  return value as Decoded<S>
}

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && value === ((value as number) | 0)
}

function instant(stored: unknown): string | undefined {
  const time = isoTime(stored)
  return time === canonicalZero ? undefined : time
}

/** A stored map. Sets and binary values are objects of other classes; a large number is one that identifies nothing. */
function asMap(stored: unknown): Record<string, unknown> | undefined {
  const isMap = Object.prototype.toString.call(stored) === '[object Object]'
  return isMap ? (stored as Record<string, unknown>) : undefined
}
