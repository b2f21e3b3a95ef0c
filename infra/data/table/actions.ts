import type { Item } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import type { Action } from '../../../lib/store/transact.ts'

/** Puts an item on the condition that there is none with its key. */
export const putNew = (Item: Item): Action => ({
  Put: { Item, ConditionExpression: 'attribute_not_exists(PK)' },
})

/**
 * The key of an item, with the condition that it is there and attributes are as they were read.
 *
 * @param names of the attributes, none of them a reserved word
 * @param values other values of the expressions
 */
export function ifUnchanged(item: Item, names: readonly string[], values: Item = {}) {
  const { PK, SK } = item
  const set = names.filter(name => Object.hasOwn(item, name))
  const conditions = names.map(name =>
    set.includes(name) ? `${name} = :old_${name}` : `attribute_not_exists(${name})`,
  )
  const old = Object.fromEntries(set.map(name => [`:old_${name}`, item[name]]))
  return {
    Key: { PK, SK },
    ConditionExpression: ['PK = :PK', ...conditions].join(' AND '),
    ExpressionAttributeValues: { ':PK': PK, ...old, ...values },
  }
}

/** Changes the number of members of a provider on the condition that it is active. */
export const countBy = (providerId: number, by: number): Action => ({
  Update: {
    Key: providerKey(providerId),
    ConditionExpression: '#state = :active',
    UpdateExpression: 'ADD member_count :by',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':active': 'active', ':by': by },
  },
})
