import { isDeepStrictEqual } from 'node:util'
import { decode, encode } from '../../../lib/domain/fields.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Notes, readShape } from '../records/read.ts'
import { replacement } from './conditions.ts'
import { type Fault, mendable, placeOf } from './fault.ts'

/**
 * What is wrong with the fields of a provider or a user. An attribute that the service reads and would write in another
 * way, such as a time with a zone, is rewritten.
 *
 * @param id the one of the item's key, which is right whatever the attribute says
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
  return mendable(item, `the service would write ${names} in another way`, `rewrite ${names}`, [change])
}
