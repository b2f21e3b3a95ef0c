import { isDeepStrictEqual } from 'node:util'
import type { Field } from '../../../lib/domain/fields.ts'
import { isJsonObject } from '../../../lib/domain/json.ts'
import type { Item } from '../../../lib/store/items.ts'
import { encodeField } from '../table/items.ts'

type Shape = Readonly<Record<string, Field<unknown>>>

/**
 * Compares a stored item with a record.
 *
 * @param leftOut the fields that the record does not mention; they are not compared
 * @returns the fields that the service reads with other values in the item, with the record's values to store; undefined for an
 *   absent one. What others keep in a map of the item stays in the value
 */
export function difference(shape: object, stored: Item, record: Item, leftOut: readonly string[] = []): Item {
  const different: Item = {}
  for (const [name, field] of Object.entries(shape as Shape)) {
    if (leftOut.includes(name)) continue
    const seen = encodeField(field, field.decode(ownIn(stored, name)))
    // An empty list is the same as none.
    const wanted = encodeField(field, field.decode(record[name]))
    if (!isDeepStrictEqual(seen, wanted)) different[name] = merged(field, ownIn(stored, name), record[name])
  }
  return different
}

/** A value to store in the place of another one. */
function merged({ nested }: Field<unknown>, stored: unknown, value: unknown): unknown {
  if (nested === undefined) return value
  const { shape, isList, ids } = nested
  if (isList) return value && mergedList(shape as Shape, ids, stored, value as Item[])
  const map = mergedMap(shape as Shape, stored, (value ?? {}) as Item)
  // What others keep in the place of a secret stays; without an id, the service shows none.
  return value === undefined && Object.keys(map).length === 0 ? undefined : map
}

/** The elements of a list, each merged with the stored one of the same ids. */
function mergedList(shape: Shape, ids: readonly string[], stored: unknown, value: readonly Item[]): Item[] {
  const elements = Array.isArray(stored) ? stored.filter(isJsonObject) : []
  return value.map(wanted => {
    const isSame = (element: Item) => ids.every(id => isDeepStrictEqual(ownIn(element, id), wanted[id]))
    return mergedMap(shape, elements.find(isSame), wanted)
  })
}

/** The members of a map, and those of the stored map that the service does not know. */
function mergedMap(shape: Shape, stored: unknown, value: Item): Item {
  if (!isJsonObject(stored)) return value
  const foreign = Object.entries(stored).filter(([name]) => !Object.hasOwn(shape, name))
  const own = Object.entries(value).map(([name, member]) => [
    name,
    merged(shape[name] as Field<unknown>, ownIn(stored, name), member),
  ])
  return Object.fromEntries([...foreign, ...own])
}

/** A stored member named `__proto__` may have become the prototype of the map. */
const ownIn = (map: Item, name: string) => (Object.hasOwn(map, name) ? map[name] : undefined)
