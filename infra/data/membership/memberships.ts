import { membershipItem } from '../table/items.ts'
import { memberOf } from '../../../lib/store/items.ts'
import { members as membersIn, providerKey } from '../../../lib/store/keys.ts'
import type { Action } from '../table/transact.ts'
import type { Data } from '../open-data.ts'

/** The memberships of a provider, by user id ascending. */
export const membersOf = ({ table }: Pick<Data, 'table'>, providerId: number, signal: AbortSignal) =>
  table.query(membersIn(providerId), memberOf, signal)

/** Adds a membership that does not exist. */
export const addition = (providerId: number, userId: string): Action => ({
  Put: { Item: membershipItem(providerId, userId), ConditionExpression: 'attribute_not_exists(PK)' },
})

/** Changes the `member_count` of a provider on the condition that users can be linked to it. */
export const countChange = (providerId: number, by: number): Action => ({
  Update: {
    Key: providerKey(providerId),
    UpdateExpression: 'ADD member_count :by',
    ConditionExpression: '#state IN (:active, :importing)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':active': 'active', ':importing': 'importing', ':by': by },
  },
})
