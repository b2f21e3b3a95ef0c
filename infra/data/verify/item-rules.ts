import { isDeepStrictEqual } from 'node:util'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { decode, type Field } from '../../../lib/domain/fields.ts'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { type Notes, readShape, shown } from '../records/read.ts'
import { isLikeOurs, type ItemKind } from '../table/table-item.ts'
import type { Rule } from './fault.ts'

type Shape = Readonly<Record<string, Field<unknown>>>

/** An item and its kind. */
export interface StoredItem {
  item: Item
  about: ItemKind
}

/** The rules for single items. */
export const itemRules: Rule<StoredItem>[] = [
  {
    wrong: 'key that begins like one of the service, which does not write it: a user id in upper case is one',
    why: 'the item may belong to another program',
    problem: ({ item, about }) =>
      about.kind === 'foreign' &&
      isLikeOurs(item) &&
      'the service does not find an item with such a key; a user id is a UUID in lower case',
  },
  {
    wrong: 'provider or user with a field that is missing or cannot be read',
    why: 'its value is not known; a person may have to see the item as it was',
    problem: ({ item, about }) => {
      if (about.kind === 'user') return unreadable(userShape, item, about.userId).join('; ')
      if (about.kind !== 'provider') return undefined
      return [...unreadable(samlProviderShape, item, about.providerId), ...unreadableState(item)].join('; ')
    },
  },
  {
    wrong: 'user, or provider that is not removed, with `expires_at`; removed provider with a wrong one',
    why: 'TTL deletes the item too early, or never; its writer knows what is meant',
    problem: ({ item: { expires_at, state, retained_until }, about }) => {
      if (about.kind !== 'user' && about.kind !== 'provider') return undefined
      const isRemoved = about.kind === 'provider' && state === 'removed'
      // TTL ignores a value of another type.
      const isSet = typeof expires_at === 'number' || expires_at instanceof NumberValue
      return isRemoved
        ? expires_at !== retained_until && `expires_at must be retained_until, and is ${shown(expires_at)}`
        : isSet && `expires_at is ${expires_at}: TTL deletes the item`
    },
  },
]

/**
 * Finds fields that the service shows otherwise than an import reads them; other members, which belong to other services, are
 * no faults.
 *
 * @param id the id of the item's key, which the service shows
 */
function unreadable(shape: Shape, item: Item, id: string | number): string[] {
  const own = Object.entries({ ...item, id }).filter(([name, value]) => !isForeign(shape[name], value))
  const stored = Object.fromEntries(own)
  const notes: Notes = { faults: [], unknown: new Set() }
  const read = readShape(shape, stored, notes)
  if (notes.faults.length > 0) return notes.faults
  const seen: Item = decode(shape, stored)
  const lost = Object.keys(shape).filter(name => !isDeepStrictEqual(read[name], seen[name]))
  return lost.map(name => `the service cannot read ${name}`)
}

/** Whether a map has only what others keep in the place of a secret. */
const isForeign = (field: Field<unknown> | undefined, value: unknown): boolean =>
  field?.nested?.isList === false &&
  isJsonObject(value) &&
  !Object.keys(field.nested.shape).some(name => Object.hasOwn(value, name))

function unreadableState(item: Item): string[] {
  const record = providerRecordOf(item)
  if (record === undefined)
    return [`state must be importing, active, removing or removed, and is ${shown(item.state)}`]
  const isLost = record.state === 'removed' && record.removal === undefined
  return isLost ? ['removal_id, removal_started_at or retained_until cannot be read'] : []
}
