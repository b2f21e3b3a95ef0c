import type { Item } from '../../../lib/store/items.ts'
import type { Items } from './valid-table.ts'

const shift = (id: number, n: number) => 7_000_000 + n * 1000 + id
const shifted = /(?<!\d)(0*)7(\d{3})(\d{3})(?!\d)/

/** The items with other ids, so that many small tables stand in one: number n has ids from 7nnn000 on. */
export const copied = (items: Items, n: number) => Object.values(items).map(item => copy(item, n))

export function copy<T extends Item>(item: T, n: number): T {
  const values = Object.entries(item).map(([name, value]) => [name, moved(name, value, n)])
  return Object.fromEntries(values)
}

function moved(name: string, value: unknown, n: number): unknown {
  if (['PK', 'SK', 'id', 'name'].includes(name) && typeof value === 'string')
    return value.replace(/(?<=#|-)(0{8,11})?([1-9]?\d)$/, id =>
      String(shift(+id, n)).padStart(id.length, '0'),
    )
  const isId = ['id', 'saml_provider_id', 'sso_provider_id'].includes(name) && typeof value === 'number'
  return isId && value < 1000 ? shift(value, n) : value
}

/** The number of the copy of an item with this key. */
export const copyOf = (key: string): number => Number(shifted.exec(key)?.[2])

/** A message with the ids of the original. */
export const original = (message: string): string =>
  message.replace(new RegExp(shifted, 'g'), (_, zeros, _n, id) =>
    zeros === '' ? String(Number(id)) : `${zeros}0000${id}`,
  )
