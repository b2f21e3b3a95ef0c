import type { Item } from '../../../lib/store/items.ts'
import type { Key } from '../../../lib/store/keys.ts'
import type { Action } from '../../../lib/store/transact.ts'

/** The condition that attributes of an item, or its absence, have not changed since they were read. */
function asRead(item: Item | undefined, names: readonly string[]) {
  if (item === undefined) return { ConditionExpression: 'attribute_not_exists(PK)' }
  const there = names.filter(name => item[name] !== undefined)
  return {
    ConditionExpression: [
      'attribute_exists(PK)',
      ...names.map((name, index) =>
        there.includes(name) ? `#read${index} = :read${index}` : `attribute_not_exists(#read${index})`,
      ),
    ].join(' AND '),
    ...(names.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#read${index}`, name])),
    }),
    ...(there.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(
        names.flatMap((name, index) => (there.includes(name) ? [[`:read${index}`, item[name]]] : [])),
      ),
    }),
  }
}

export const keyOf = ({ PK, SK }: Item): Key => ({ PK: String(PK), SK: String(SK) })

export const unchanged = (Key: Key, item: Item | undefined, ...names: string[]): Action => ({
  ConditionCheck: { Key, ...asRead(item, names) },
})

export const deletion = (item: Item, ...names: string[]): Action => ({
  Delete: { Key: keyOf(item), ...asRead(item, names) },
})

/**
 * Replaces attributes of an item on the condition that they, and the other named ones, have not changed since they were read.
 *
 * @param values undefined values are removed
 */
export function replacement(item: Item, values: Item, ...others: string[]): Action {
  const names = Object.keys(values)
  const condition = asRead(item, [...names, ...others])
  const set = names.filter(name => values[name] !== undefined)
  const part = (verb: string, parts: string[]) => (parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`])
  const placeholder = (name: string) => `#read${names.indexOf(name)}`
  const news = set.map(name => [`:new${names.indexOf(name)}`, values[name]])
  return {
    Update: {
      Key: keyOf(item),
      ...condition,
      UpdateExpression: [
        ...part(
          'SET',
          set.map(name => `${placeholder(name)} = :new${names.indexOf(name)}`),
        ),
        ...part('REMOVE', names.filter(name => !set.includes(name)).map(placeholder)),
      ].join(' '),
      ...((news.length > 0 || condition.ExpressionAttributeValues !== undefined) && {
        ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ...Object.fromEntries(news) },
      }),
    },
  }
}
