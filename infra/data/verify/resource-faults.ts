import { isDeepStrictEqual } from 'node:util'
import { decode, encode, type Field } from '../../../lib/domain/fields.ts'
import type { Item } from '../../../lib/store/items.ts'
import { isMap, type Notes, readShape } from '../records/read.ts'
import { replacement } from './conditions.ts'
import { type Fault, repairable, placeOf } from './fault.ts'

type Shape = Readonly<Record<string, Field<unknown>>>

/**
 * Finds faults in the fields of a provider or a user. The repair rewrites an attribute that is readable but has another form
 * than the service writes, such as a time with a zone.
 *
 * @param id the id of the item's key, which the attribute `id` must equal
 */
export function resourceFaults(shape: Shape, item: Item, id: string | number): Fault[] {
  const odd = oddFields(shape, item)
  if (item.id !== id && !odd.includes('id')) odd.push('id')
  if (odd.length === 0) return []
  const notes: Notes = { faults: [], unknown: new Set(), dialects: new Set() }
  const resource = readShape(shape, { ...item, id }, notes)
  if (notes.faults.length > 0) return [{ place: placeOf(item), problem: notes.faults.join('; ') }]
  return [oddFault(shape as Readonly<Record<string, never>>, item, resource, odd)]
}

/** The fields that the service writes in another form. */
function oddFields(shape: Shape, stored: Item): string[] {
  const odd: string[] = []
  for (const name in shape) if (!isAsWritten(shape[name] as Field<unknown>, stored[name])) odd.push(name)
  return odd
}

/** Whether the service would write this value for what it reads. Compares without a copy: most values are as written. */
function isAsWritten(field: Field<unknown>, stored: unknown): boolean {
  if (field.nested !== undefined && stored !== undefined) {
    const { shape, isList } = field.nested
    const maps = isList ? stored : [stored]
    return Array.isArray(maps) && maps.every(map => isMap(map) && isMapAsWritten(shape as Shape, map))
  }
  const written = field.encode(field.decode(stored))
  return written === stored || isDeepStrictEqual(written, stored)
}

const isMapAsWritten = (shape: Shape, map: Item) =>
  oddFields(shape, map).length === 0 && Object.keys(map).every(name => Object.hasOwn(shape, name))

function oddFault(shape: Readonly<Record<string, never>>, item: Item, resource: Item, odd: string[]): Fault {
  const sound = encode(shape, resource as never) as Item
  const seen: Item = { ...decode(shape, item), id: resource.id }
  const unreadable = odd.filter(name => !isDeepStrictEqual(seen[name], resource[name]))
  if (unreadable.length > 0)
    return { place: placeOf(item), problem: `the service cannot read ${unreadable.join(', ')}` }
  const names = odd.join(', ')
  const values = Object.fromEntries(odd.map(name => [name, sound[name]]))
  const change = replacement(item, values)
  return repairable(item, `the service writes ${names} in another form`, `rewrite ${names}`, [change])
}
