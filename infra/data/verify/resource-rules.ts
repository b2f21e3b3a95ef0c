import { isDeepStrictEqual } from 'node:util'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { chunk } from '../../../lib/concurrency.ts'
import type { Field } from '../../../lib/domain/fields.ts'
import { isJsonObject } from '../../../lib/domain/json.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Correction, correction, type Path, replacement } from '../conditions.ts'
import { type Notes, readField } from '../records/read.ts'
import { type Fault, faultsOf, type Rule } from './fault.ts'

type Shape = Readonly<Record<string, Field<unknown>>>

/** A value that the service writes in another form. */
interface Odd extends Correction {
  /** The ids of the maps around it: elements of a list may have moved since they were read. */
  ids: readonly Path[]
}

/** What is wrong with the fields of a provider or a user. */
interface Fields {
  item: Item
  problems: string[]
  odd: Odd[]
}

/** An expression has at most 4 KB. */
const correctionsMax = 20

export const resourceRules: Rule<Fields>[] = [
  {
    wrong: 'provider or user with a field that is missing or cannot be read',
    why: 'its value is not known; a person may have to see the item as it was',
    problem: ({ problems }) => problems.join('; '),
  },
  {
    wrong:
      'value in another form than the service writes (a time with a zone, `null`), also in a secret or a role; `id` other than in the key',
    mends: 'rewrite this value alone',
    why: 'the service reads the usual form, and takes ids from keys',
    problem: ({ odd }) =>
      odd.length > 0 &&
      `the service writes ${odd.map(({ path }) => textOf(path)).join(', ')} in another form`,
    by: ({ item, odd }) => {
      const ids = new Map(odd.flatMap(one => one.ids).map(path => [textOf(path), path]))
      return [correction(item, odd, [...odd.map(({ path }) => path), ...ids.values()])]
    },
  },
]

export const expiringUserRule: Rule<{ item: Item }> = {
  wrong: 'user with `expires_at`',
  mends: 'remove expires_at',
  why: 'TTL would delete the user, and the service never sets it',
  // TTL ignores a value of another type.
  problem: ({ item: { expires_at } }) =>
    (typeof expires_at === 'number' || expires_at instanceof NumberValue) &&
    `expires_at is ${expires_at}: TTL deletes the user`,
  by: ({ item }) => [replacement(item, { expires_at: undefined })],
}

/**
 * Finds faults in the fields of a provider or a user; other members, which belong to other services, are none.
 *
 * @param id the id of the item's key, which the attribute `id` must equal
 */
export function resourceFaults(shape: Shape, item: Item, id: string | number): Fault[] {
  const found: Fields = { item, odd: [], problems: [] }
  look(shape, item.id === id ? item : { ...item, id }, { path: [], ids: [] }, found)
  if (isJsonObject(item.id) || Array.isArray(item.id)) found.problems.push(cannotRead('id'))
  else if (item.id !== id) found.odd.push({ path: ['id'], value: id, ids: [] })
  if (found.problems.length > 0) return faultsOf(resourceRules, { ...found, odd: [] })
  return chunk(found.odd, correctionsMax).flatMap(odd => faultsOf(resourceRules, { ...found, odd }))
}

/** Looks at each field of a map at this place. */
function look(shape: Shape, map: Item, { path, ids }: Omit<Odd, 'value'>, found: Fields): void {
  for (const name in shape) {
    const field = shape[name] as Field<unknown>
    // A stored member named `__proto__` may have become the prototype of the map.
    const stored = Object.hasOwn(map, name) ? map[name] : undefined
    const { nested } = field
    const maps = nested && (nested.isList ? stored : [stored])
    if (nested && Array.isArray(maps) && maps.every(isJsonObject))
      for (const [index, one] of maps.entries()) {
        const place = nested.isList ? [...path, name, index] : [...path, name]
        const around = [...ids, ...nested.ids.map(id => [...place, id])]
        look(nested.shape as Shape, one, { path: place, ids: around }, found)
      }
    else if (!isAsWritten(field, stored)) lookAtOdd(field, stored, { path: [...path, name], ids }, found)
  }
}

/** Compares without a copy first: most values are as the service writes them. */
function isAsWritten(field: Field<unknown>, stored: unknown): boolean {
  const written = field.encode(field.decode(stored))
  return written === stored || isDeepStrictEqual(written, stored)
}

function lookAtOdd(field: Field<unknown>, stored: unknown, at: Omit<Odd, 'value'>, found: Fields): void {
  const seen = field.decode(stored)
  const notes: Notes = { faults: [], unknown: new Set(), dialects: new Set() }
  const read = readField(field, stored, notes, textOf(at.path))
  // A map in the place of a value may hold more than the value.
  const isLost = isJsonObject(stored) || !isDeepStrictEqual(seen, read)
  if (notes.faults.length > 0 || isLost)
    found.problems.push(...(notes.faults.length > 0 ? notes.faults : [cannotRead(textOf(at.path))]))
  else found.odd.push({ ...at, value: field.encode(seen) })
}

const cannotRead = (place: string) => `the service cannot read ${place}`

/** A path for people, such as `roles[0].created_at`. */
const textOf = (path: Path) =>
  path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
