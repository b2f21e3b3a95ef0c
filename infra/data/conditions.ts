import type { Item } from '../../lib/store/items.ts'
import type { Key } from '../../lib/store/keys.ts'
import type { Action } from './transact.ts'

/** The way to a value in an item: an attribute, then members of maps and indexes of lists. */
export type Path = readonly (string | number)[]

export const keyOf = ({ PK, SK }: Item): Key => ({ PK: String(PK), SK: String(SK) })

export const unchanged = (Key: Key, item: Item | undefined, ...names: string[]): Action => {
  const expression = expressionOn(item)
  const ConditionExpression = expression.asRead(names.map(name => [name]))
  return { ConditionCheck: { Key, ConditionExpression, ...expression.placeholders() } }
}

export const deletion = (item: Item, ...names: string[]): Action => {
  const expression = expressionOn(item)
  const ConditionExpression = expression.asRead(names.map(name => [name]))
  return { Delete: { Key: keyOf(item), ConditionExpression, ...expression.placeholders() } }
}

/**
 * Replaces attributes of an item on the condition that they, and the other named ones, have not changed since they were read.
 *
 * @param values undefined values are removed
 */
export const replacement = (item: Item, values: Item, ...others: string[]): Action =>
  correction(
    item,
    Object.entries(values).map(([name, value]) => ({ path: [name], value })),
    [...Object.keys(values), ...others].map(name => [name]),
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
  const expression = expressionOn(item)
  const set = corrections.filter(({ value }) => value !== undefined)
  const removed = corrections.filter(({ value }) => value === undefined)
  const part = (verb: string, parts: string[]) => (parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`])
  return {
    Update: {
      Key: keyOf(item),
      ConditionExpression: expression.asRead(asRead),
      UpdateExpression: [
        ...part(
          'SET',
          set.map(({ path, value }) => `${expression.at(path)} = ${expression.value(value)}`),
        ),
        ...part(
          'REMOVE',
          removed.map(({ path }) => expression.at(path)),
        ),
      ].join(' '),
      ...expression.placeholders(),
    },
  }
}

/** Expressions on an item that share their placeholders. */
function expressionOn(item: Item | undefined) {
  const names = new Map<string, string>()
  const values: unknown[] = []
  const named = (step: string) => {
    const placeholder = names.get(step) ?? `#n${names.size}`
    names.set(step, placeholder)
    return placeholder
  }
  const at = (path: Path) =>
    path
      .map(step => (typeof step === 'number' ? `[${step}]` : `.${named(step)}`))
      .join('')
      .slice(1)
  const value = (one: unknown) => `:v${values.push(one) - 1}`
  return {
    at,
    value,
    /** The condition that the values at these paths, or the absence of the item, have not changed since it was read. */
    asRead(paths: readonly Path[]): string {
      if (item === undefined) return 'attribute_not_exists(PK)'
      const conditions = paths.map(path => {
        const read = valueAt(item, path)
        return read === undefined ? `attribute_not_exists(${at(path)})` : `${at(path)} = ${value(read)}`
      })
      return ['attribute_exists(PK)', ...conditions].join(' AND ')
    },
    placeholders: () => ({
      ...(names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries([...names].map(([name, short]) => [short, name])),
      }),
      ...(values.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(values.map((one, index) => [`:v${index}`, one])),
      }),
    }),
  }
}

function valueAt(item: Item, path: Path): unknown {
  let value: unknown = item
  for (const step of path) value = Object.hasOwn(value as Item, step) ? (value as Item)[step] : undefined
  return value
}
