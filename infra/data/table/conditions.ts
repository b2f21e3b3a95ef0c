import type { Item } from '../../../lib/store/items.ts'
import type { Key } from '../../../lib/store/keys.ts'
import type { Action } from './transact.ts'

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
export function replacement(item: Item, values: Item, ...others: string[]): Action {
  const { at, value, unchangedIn, placeholders } = expressionOn(item)
  const changes = Object.entries(values)
  const set = changes
    .filter(([, change]) => change !== undefined)
    .map(([name, change]) => `${at(name)} = ${value(change)}`)
  const removed = changes.filter(([, change]) => change === undefined).map(([name]) => at(name))
  const clauses = [
    ['SET', set.join(', ')],
    ['REMOVE', removed.join(', ')],
  ].filter(([, names]) => names !== '')
  return {
    Update: {
      Key: keyOf(item),
      ConditionExpression: unchangedIn([...new Set([...Object.keys(values), ...others])]),
      UpdateExpression: clauses.flat().join(' '),
      ...placeholders(),
    },
  }
}

/** Adds to a number of an item on the condition that these attributes have not changed since it was read. */
export function increase(item: Item, name: string, by: number, ...names: string[]): Action {
  const { at, value, unchangedIn, placeholders } = expressionOn(item)
  return {
    Update: {
      Key: keyOf(item),
      ConditionExpression: unchangedIn(names),
      UpdateExpression: `ADD ${at(name)} ${value(by)}`,
      ...placeholders(),
    },
  }
}

/** The condition that these attributes, or the absence of the item, have not changed since it was read. */
function asRead(item: Item | undefined, names: readonly string[]) {
  const { unchangedIn, placeholders } = expressionOn(item)
  return { ConditionExpression: unchangedIn(names), ...placeholders() }
}

/** Expressions on an item that share their placeholders. */
function expressionOn(item: Item | undefined) {
  const names: Record<string, string> = {}
  const values: Record<string, unknown> = {}
  const at = (name: string) => {
    names[`#${name}`] = name
    return `#${name}`
  }
  const value = (given: unknown) => {
    const short = `:v${Object.keys(values).length}`
    values[short] = given
    return short
  }
  return {
    at,
    value,
    unchangedIn(attributes: readonly string[]): string {
      if (item === undefined) return 'attribute_not_exists(PK)'
      const conditions = attributes.map(name =>
        Object.hasOwn(item, name)
          ? `${at(name)} = ${value(item[name])}`
          : `attribute_not_exists(${at(name)})`,
      )
      return ['attribute_exists(PK)', ...conditions].join(' AND ')
    },
    /** DynamoDB refuses empty ones. */
    placeholders: () => ({
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(':v0' in values && { ExpressionAttributeValues: values }),
    }),
  }
}
