import { isDeepStrictEqual } from 'node:util'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import type { Field } from '../../../lib/domain/fields.ts'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { chunk } from '../../../lib/concurrency.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Notes, readField } from '../records/read.ts'
import { type Correction, correction, type Path, replacement } from '../conditions.ts'
import { type Fault, repairable, placeOf } from './fault.ts'

type Shape = Readonly<Record<string, Field<unknown>>>

/** A value that the service writes in another form. */
interface Odd extends Correction {
  /** The ids of the maps around it: elements of a list may have moved since they were read. */
  ids: readonly Path[]
}

interface Found {
  odd: Odd[]
  problems: string[]
}

/** An expression has at most 4 KB. */
const correctionsMax = 20

/**
 * Finds faults in the fields of a provider or a user; other members, which belong to other services, are none. The repair
 * rewrites single values that are readable but have another form than the service writes, such as a time with a zone. An
 * item with a value that cannot be read is not repaired.
 *
 * @param id the id of the item's key, which the attribute `id` must equal
 */
export function resourceFaults(shape: Shape, item: Item, id: string | number): Fault[] {
  const found: Found = { odd: [], problems: [] }
  look(shape, item.id === id ? item : { ...item, id }, { path: [], ids: [] }, found)
  if (isJsonObject(item.id) || Array.isArray(item.id)) found.problems.push(cannotRead('id'))
  else if (item.id !== id) found.odd.push({ path: ['id'], value: id, ids: [] })
  // A person may have to see the item as it was.
  if (found.problems.length > 0) return [{ place: placeOf(item), problem: found.problems.join('; ') }]
  return chunk(found.odd, correctionsMax).map(odd => oddFault(item, odd))
}

/** TTL deletes every item whose `expires_at` is a number; a value of another type means nothing to it. */
export function expiryFaults(user: Item): Fault[] {
  const { expires_at } = user
  if (typeof expires_at !== 'number' && !(expires_at instanceof NumberValue)) return []
  const problem = `expires_at is ${expires_at}: TTL deletes the user`
  return [repairable(user, problem, 'remove expires_at', [replacement(user, { expires_at: undefined })])]
}

/** Looks at each field of a map at this place. */
function look(shape: Shape, map: Item, at: Omit<Odd, 'value'>, found: Found): void {
  for (const name in shape) {
    const field = shape[name] as Field<unknown>
    // A stored member named `__proto__` may have become the prototype of the map.
    const stored = Object.hasOwn(map, name) ? map[name] : undefined
    const maps = mapsOf(field, stored)
    if (maps === undefined && isAsWritten(field, stored)) continue
    const path = [...at.path, name]
    if (maps === undefined) lookAtOdd(field, stored, { ...at, path }, found)
    else if (field.nested !== undefined) {
      const { shape, isList, ids } = field.nested
      for (const [index, one] of maps.entries()) {
        const place = isList ? [...path, index] : path
        look(shape as Shape, one, { path: place, ids: [...at.ids, ...ids.map(id => [...place, id])] }, found)
      }
    }
  }
}

/** The stored map or maps of a field that has some; undefined when something else is stored. */
function mapsOf({ nested }: Field<unknown>, stored: unknown): Item[] | undefined {
  if (nested === undefined || stored === undefined) return undefined
  const maps = nested.isList ? stored : [stored]
  return Array.isArray(maps) && maps.every(isJsonObject) ? maps : undefined
}

/** Compares without a copy first: most values are as the service writes them. */
function isAsWritten(field: Field<unknown>, stored: unknown): boolean {
  const written = field.encode(field.decode(stored))
  return written === stored || isDeepStrictEqual(written, stored)
}

function lookAtOdd(field: Field<unknown>, stored: unknown, at: Omit<Odd, 'value'>, found: Found): void {
  const seen = field.decode(stored)
  const notes: Notes = { faults: [], unknown: new Set(), dialects: new Set() }
  const read = readField(field, stored, notes, textOf(at.path))
  if (notes.faults.length > 0) found.problems.push(...notes.faults)
  // A map in the place of a value may hold more than the value.
  else if (isJsonObject(stored) || !isDeepStrictEqual(seen, read))
    found.problems.push(cannotRead(textOf(at.path)))
  else found.odd.push({ ...at, value: field.encode(seen) })
}

const cannotRead = (place: string) => `the service cannot read ${place}`

function oddFault(item: Item, odd: readonly Odd[]): Fault {
  const places = odd.map(({ path }) => textOf(path)).join(', ')
  const ids = new Map(odd.flatMap(one => one.ids).map(path => [textOf(path), path]))
  const change = correction(item, odd, [...odd.map(({ path }) => path), ...ids.values()])
  return repairable(item, `the service writes ${places} in another form`, `rewrite ${places}`, [change])
}

/** A path for people, such as `roles[0].created_at`. */
const textOf = (path: Path) =>
  path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
