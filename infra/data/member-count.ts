import { type Item, memberOf, membershipItem } from '../../lib/store/items.ts'
import { members as membersIn, providerKey } from '../../lib/store/keys.ts'
import type { Action } from './table/transact.ts'
import { replacement } from './table/conditions.ts'
import type { Data } from './open-data.ts'

const triesMax = 20

/** The memberships of a provider, by user id ascending. */
export const membersOf = ({ table }: Data, providerId: number, signal: AbortSignal) =>
  table.query(membersIn(providerId), memberOf, signal)

/** The provider, its memberships, and whether `member_count` stayed the same while they were read. */
export async function countMembers(data: Data, providerId: number, signal: AbortSignal) {
  const { table } = data
  const before = await table.get(providerKey(providerId), signal)
  const members = await membersOf(data, providerId, signal)
  const item = await table.get(providerKey(providerId), signal)
  return { item, members, isSettled: String(before?.member_count) === String(item?.member_count) }
}

/** Sets `member_count` on the condition that it and the state have not changed since they were read. */
export const countCorrection = (provider: Item, length: number): Action =>
  replacement(provider, { member_count: length }, 'state')

/**
 * Sets the `member_count` of an active provider to the number of its memberships, beside other writers.
 *
 * @returns false when the provider is not active, or other writers interfered 20 times
 */
export async function correctCount(data: Data, providerId: number, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const { item, members, isSettled } = await countMembers(data, providerId, signal)
    if (item?.state !== 'active') return false
    if (!isSettled) continue
    if (item.member_count === members.length) return true
    await data.transact([countCorrection(item, members.length)], signal)
  }
  return false
}

/** Adds a membership that does not exist. */
export const addition = (providerId: number, userId: string): Action => ({
  Put: { Item: membershipItem(providerId, userId), ConditionExpression: 'attribute_not_exists(PK)' },
})

/** Changes the `member_count` of a provider on the condition that it is active. */
export const countChange = (providerId: number, by: number): Action => ({
  Update: {
    Key: providerKey(providerId),
    UpdateExpression: 'ADD member_count :by',
    ConditionExpression: '#state = :active',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':active': 'active', ':by': by },
  },
})
