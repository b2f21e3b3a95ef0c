import { isDeepStrictEqual } from 'node:util'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { decode, type Field } from '../../../lib/domain/fields.ts'
import { isJsonObject } from '../../../lib/domain/json.ts'
import type { Item } from '../../../lib/store/items.ts'
import { type Notes, readShape } from '../records/read.ts'
import { type Fault, faultsOf, type Rule } from './fault.ts'

type Shape = Readonly<Record<string, Field<unknown>>>

export const resourceRules: Rule<{ item: Item; problems: string[] }>[] = [
  {
    wrong: 'provider or user with a field that is missing or cannot be read',
    why: 'its value is not known; a person may have to see the item as it was',
    problem: ({ problems }) => problems.join('; '),
  },
]

export const expiringUserRule: Rule<{ item: Item }> = {
  wrong: 'user with `expires_at`',
  why: 'TTL deletes the user; the service never sets it, so its writer knows whether that is meant',
  // TTL ignores a value of another type.
  problem: ({ item: { expires_at } }) =>
    (typeof expires_at === 'number' || expires_at instanceof NumberValue) &&
    `expires_at is ${expires_at}: TTL deletes the user`,
}

/**
 * Finds fields of a provider or a user that the service shows otherwise than an import reads them; other members, which belong
 * to other services, are no faults.
 *
 * @param id the id of the item's key, which the service shows
 */
export function resourceFaults(shape: Shape, item: Item, id: string | number): Fault[] {
  const own = Object.entries({ ...item, id }).filter(([name, value]) => !isForeign(shape[name], value))
  const stored = Object.fromEntries(own)
  const notes: Notes = { faults: [], unknown: new Set() }
  const read = readShape(shape, stored, notes)
  const shown: Item = decode(shape, stored)
  const lost = Object.keys(shape).filter(name => !isDeepStrictEqual(read[name], shown[name]))
  const problems =
    notes.faults.length > 0 ? notes.faults : lost.map(name => `the service cannot read ${name}`)
  return faultsOf(resourceRules, { item, problems })
}

/** Whether a map has only what others keep in the place of a secret. */
const isForeign = (field: Field<unknown> | undefined, value: unknown): boolean =>
  field?.nested?.isList === false &&
  isJsonObject(value) &&
  !Object.keys(field.nested.shape).some(name => Object.hasOwn(value, name))
