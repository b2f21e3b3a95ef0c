import type { Item } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import type { Action } from '../../../lib/store/transact.ts'

/** Puts an item on the condition that there is none with its key. */
export const putNew = (Item: Item): Action => ({
  Put: { Item, ConditionExpression: 'attribute_not_exists(PK)' },
})

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
