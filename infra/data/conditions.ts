import type { Item } from '../../lib/store/items.ts'
import type { Key } from '../../lib/store/keys.ts'
import type { Action } from './transact.ts'

/** The way to a value in an item: an attribute, then members of maps and indexes of lists. */
export type Path = readonly (string | number)[]

export const keyOf = ({ PK, SK }: Item): Key => ({ PK: String(PK), SK: String(SK) })

/** A key as one text. */
export const placeOf = ({ PK, SK }: Item | Key) => `${PK} ${SK}`

/** Checks that attributes of an item, or its absence, have not changed since it was read. */
export const unchanged = (Key: Key, item: Item | undefined, ...names: string[]): Action => ({
  ConditionCheck: { Key, ...asRead(item, names) },
})

/** Deletes an item on the condition that these attributes have not changed since it was read. */
export const deletion = (item: Item, ...names: string[]): Action => ({
  Delete: { Key: keyOf(item), ...asRead(item, names) },
})

/**
 * Replaces attributes of an item on the condition that they, and the other named ones, have not changed since they were read.
 *
 * @param values undefined values are removed
 */
export const replacement = (item: Item, values: Item, ...others: string[]): Action =>
  correction(
    item,
    Object.entries(values).map(([name, value]) => ({ path: [name], value })),
    [...new Set([...Object.keys(values), ...others])].map(name => [name]),
  )

/** A new value for one place in an item; undefined: it is removed. */
export interface Correction {
  path: Path
  value: unknown
}

/**
 * Replaces single values of an item on the condition that those at some paths have not changed since they were read.
 * Everything around them stays as it is then.
 */
export function correction(item: Item, corrections: readonly Correction[], asRead: readonly Path[]): Action {
  const { at, value, unchangedAt, placeholders } = expressionOn(item)
  const set = corrections.filter(one => one.value !== undefined)
  const removed = corrections.filter(one => one.value === undefined).map(({ path }) => at(path))
  const clauses = [
    ['SET', set.map(one => `${at(one.path)} = ${value(one.value)}`).join(', ')],
    ['REMOVE', removed.join(', ')],
  ].filter(([, changes]) => changes !== '')
  return {
    Update: {
      Key: keyOf(item),
      ConditionExpression: unchangedAt(asRead),
      UpdateExpression: clauses.flat().join(' '),
      ...placeholders(),
    },
  }
}

/** The condition that these attributes, or the absence of the item, have not changed since it was read. */
function asRead(item: Item | undefined, names: readonly string[]) {
  const { unchangedAt, placeholders } = expressionOn(item)
  return { ConditionExpression: unchangedAt(names.map(name => [name])), ...placeholders() }
}

/** Expressions on an item that share their placeholders. */
function expressionOn(item: Item | undefined) {
  const names: Record<string, string> = {}
  const values: Record<string, unknown> = {}
  const named = (step: string) => {
    names[`#${step}`] = step
    return `.#${step}`
  }
  const at = (path: Path) =>
    path
      .map(step => (typeof step === 'number' ? `[${step}]` : named(step)))
      .join('')
      .slice(1)
  const value = (one: unknown) => {
    const short = `:v${Object.keys(values).length}`
    values[short] = one
    return short
  }
  return {
    at,
    value,
    unchangedAt(paths: readonly Path[]): string {
      if (item === undefined) return 'attribute_not_exists(PK)'
      const conditions = paths.map(path => {
        const read = valueAt(item, path)
        return read === undefined ? `attribute_not_exists(${at(path)})` : `${at(path)} = ${value(read)}`
      })
      return ['attribute_exists(PK)', ...conditions].join(' AND ')
    },
    /** DynamoDB refuses empty ones. */
    placeholders: () => ({
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(':v0' in values && { ExpressionAttributeValues: values }),
    }),
  }
}

function valueAt(item: Item, path: Path): unknown {
  let value: unknown = item
  for (const step of path) value = Object.hasOwn(value as Item, step) ? (value as Item)[step] : undefined
  return value
}
