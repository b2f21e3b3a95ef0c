import type { Item } from '../../../lib/store/items.ts'
import { membershipKey, type Key, providerKey, userKey } from '../../../lib/store/keys.ts'
import { nameOf } from '../../support/put-items.ts'
import { userId } from '../../support/samples.ts'
import type { Items } from './valid-table.ts'

/** A fault that is planted into a valid table. */
export interface PlantedFault {
  name: string
  plant(items: Items, nowMs: number): void
  /** The keys of the faults that are found, and their descriptions; those that a person has to repair say so. */
  found: [key: Key, problem: RegExp, repairer?: 'person'][]
}

export const user = (n: number) => userKey(userId(n))
export const membership = (providerId: number, n: number) => membershipKey(providerId, userId(n))
export const provider = providerKey

/** Changes attributes of an item; undefined values are removed. */
export const change = (items: Items, key: Key, values: Item) => {
  const item: Item = { ...key, ...items.get(nameOf(key)), ...values }
  for (const name in values) if (values[name] === undefined) delete item[name]
  items.set(nameOf(key), item)
}

/** A fault of one item by changed attributes. */
export const changed = (name: string, key: Key, values: Item, problem: RegExp): PlantedFault => ({
  name,
  plant: items => change(items, key, values),
  found: [[key, problem]],
})

/** A fault of one item by a changed value in a map or a list, such as at `roles.0.created_at`. */
export const changedIn = (
  name: string,
  key: Key,
  path: string,
  value: unknown,
  problem: RegExp,
): PlantedFault => ({
  name,
  plant: items => void items.set(nameOf(key), set(items.get(nameOf(key)), path.split('.'), value) as Item),
  found: [[key, problem]],
})

function set(around: unknown, [step = '', ...deeper]: string[], value: unknown): unknown {
  const { [step]: old, ...others } = around as Item
  const inner = deeper.length === 0 ? value : set(old, deeper, value)
  if (Array.isArray(around)) return around.with(Number(step), inner)
  return inner === undefined ? others : { ...others, [step]: inner }
}
