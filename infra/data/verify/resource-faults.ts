import { isDeepStrictEqual } from 'node:util'
import { decode, encode } from '../../../lib/domain/fields.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Notes, readShape } from '../records/read.ts'
import { replacement } from './conditions.ts'
import { type Fault, repairable, placeOf } from './fault.ts'

/**
 * Finds faults in the fields of a provider or a user. The repair rewrites an attribute that is readable but has another form
 * than the service writes, such as a time with a zone.
 *
 * @param id the id of the item's key, which the attribute `id` must equal
 */
export function resourceFaults(shape: object, item: Item, id: string | number): Fault[] {
  const notes: Notes = { faults: [], unknown: new Set(), dialects: new Set() }
  const resource = readShape(shape, { ...item, id }, notes)
  if (notes.faults.length > 0) return [{ place: placeOf(item), problem: notes.faults.join('; ') }]
  const sound = encode(shape as Shape, resource as never) as Item
  const odd = Object.keys(shape).filter(name => !isDeepStrictEqual(sound[name], item[name]))
  return odd.length === 0 ? [] : [oddFault(shape as Shape, item, resource, odd, sound)]
}

type Shape = Record<string, never>

function oddFault(shape: Shape, item: Item, resource: Item, odd: string[], sound: Item): Fault {
  const seen: Item = { ...decode(shape, item), id: resource.id }
  const unreadable = odd.filter(name => !isDeepStrictEqual(seen[name], resource[name]))
  if (unreadable.length > 0)
    return { place: placeOf(item), problem: `the service cannot read ${unreadable.join(', ')}` }
  const names = odd.join(', ')
  const values = Object.fromEntries(odd.map(name => [name, sound[name]]))
  const change = replacement(item, values)
  return repairable(item, `the service writes ${names} in another form`, `rewrite ${names}`, [change])
}
