import { isoTime, zeroTime } from './iso-time.ts'

/**
 * How one field of a resource looks in the document and in the table.
 *
 * Reading never throws: a stored value of another type counts as absent, because one garbled attribute must not
 * cost a client the list it belongs to.
 */
export interface Field<Shown> {
  /** @param stored the native value, or undefined when the attribute is absent */
  show(stored: unknown): Shown
  /** @returns the native value, or undefined when the attribute is to be left out */
  store(shown: Shown): unknown
  /** The fields of the map, or of each map of the list, that it holds. */
  readonly nested?: { shape: object; isList: boolean }
}

/** The resource as the document shows it. */
export type Shown<S> = { -readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never }

/** A nullable time; the zero time when not valid. */
export interface NullableTime {
  time: string
  valid: boolean
}
/** A nullable int32; 0 when not valid. */
export interface NullableInt32 {
  int32: number
  valid: boolean
}
/** A nullable text; empty when not valid. */
export interface NullableString {
  string: string
  valid: boolean
}

const canonicalZero = isoTime(zeroTime)

/** A text; an absent one is empty. */
export const text: Field<string> = {
  show: stored => (typeof stored === 'string' ? stored : ''),
  store: shown => shown,
}

/** A boolean; an absent one is false. */
export const flag: Field<boolean> = {
  show: stored => stored === true,
  store: shown => shown,
}

/** A safe integer; an absent one is 0. */
export const integer: Field<number> = {
  show: stored => (Number.isSafeInteger(stored) ? (stored as number) : 0),
  store: shown => shown,
}

/** ISO 8601 UTC with milliseconds; an absent one is the zero time. */
export const timestamp: Field<string> = {
  show: stored => instant(stored) ?? zeroTime,
  store: shown => (shown === zeroTime ? undefined : shown),
}

/** A time or null. */
export const nullableTime: Field<NullableTime> = {
  show: stored => {
    const time = instant(stored)
    return time === undefined ? { time: zeroTime, valid: false } : { time, valid: true }
  },
  store: ({ time, valid }) => (valid ? time : undefined),
}

/** An int32 or null. */
export const nullableInt32: Field<NullableInt32> = {
  show: stored => (isInt32(stored) ? { int32: stored, valid: true } : { int32: 0, valid: false }),
  store: ({ int32, valid }) => (valid ? int32 : undefined),
}

/** A text or null. */
export const nullableString: Field<NullableString> = {
  show: stored =>
    typeof stored === 'string' ? { string: stored, valid: true } : { string: '', valid: false },
  store: ({ string, valid }) => (valid ? string : undefined),
}

/** Elements of another type are left out. */
export const texts: Field<string[]> = {
  show: stored => (Array.isArray(stored) ? stored.filter(one => typeof one === 'string') : []),
  store: shown => shown,
}

/**
 * A list of maps.
 *
 * @param ids the fields that identify an element: one without a readable value in each is left out
 */
export function listOf<const S>(shape: S, ids: readonly (keyof S)[]): Field<Shown<S>[]> {
  const one = nullOr(shape, ids)
  return {
    show: stored => (Array.isArray(stored) ? stored.map(one.show).filter(shown => shown !== null) : []),
    store: shown => shown.map(one.store),
    nested: { shape: shape as object, isList: true },
  }
}

/**
 * A map, or null where there is none.
 *
 * @param ids the fields that identify the map: without a readable value in each it counts as absent
 */
export function nullOr<const S>(shape: S, ids: readonly (keyof S)[]): Field<Shown<S> | null> {
  return {
    show: stored => {
      const map = asMap(stored)
      if (map === undefined) return null
      const shown = show(shape, map)
      return ids.every(id => shown[id] === map[id as string]) ? shown : null
    },
    store: shown => (shown === null ? undefined : store(shape, shown)),
    nested: { shape: shape as object, isList: false },
  }
}

/** The resource that a stored map holds: every field of the shape, in its order, and nothing else. */
export function show<const S>(shape: S, stored: Readonly<Record<string, unknown>>): Shown<S> {
  const shown: Record<string, unknown> = {}
  for (const name in shape) shown[name] = (shape[name] as Field<unknown>).show(stored[name])
  return shown as Shown<S>
}

/** The native attributes that hold a resource; what is absent is left out. */
export function store<const S>(shape: S, shown: Shown<S>): Record<string, unknown> {
  const stored: Record<string, unknown> = {}
  for (const name in shape) {
    const value = (shape[name] as Field<unknown>).store(shown[name])
    if (value !== undefined) stored[name] = value
  }
  return stored
}

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) === ((value as number) | 0)
}

function instant(stored: unknown): string | undefined {
  const time = isoTime(stored)
  return time === canonicalZero ? undefined : time
}

/** A stored map; sets, binary values and numbers beyond JavaScript's are objects of their own classes. */
function asMap(stored: unknown): Record<string, unknown> | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined
  const parent = Object.getPrototypeOf(stored)
  return parent === Object.prototype || parent === null ? (stored as Record<string, unknown>) : undefined
}
