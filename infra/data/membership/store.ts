import { nullableInt32 } from '../../../lib/domain/fields.ts'
import type { LinkChange, MembershipStore } from './ports.ts'
import { membershipItem, userOf } from '../../../lib/store/items.ts'
import { membershipKey, members, providerKey, userKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Table } from '../../../lib/store/table.ts'
import type { Action, Transact } from '../transact.ts'

const linkNames = ['saml_provider_id', 'sso_provider_id'] as const
type StoredValues = Readonly<Record<(typeof linkNames)[number], unknown>>

/** The reads and writes of `lib/membership` on the table. */
export const membershipStore = (table: Table, transact: Transact): MembershipStore => ({
  async findLinks(userId, signal) {
    const item = await table.get(userKey(userId), signal)
    if (item === undefined) return undefined
    const version = Object.fromEntries(linkNames.map(name => [name, item[name]]))
    return { links: userOf(item), version }
  },

  providers: signal => allProviders(table, signal),

  async membershipsOf(userId, providerIds, signal) {
    if (providerIds.length === 0) return []
    const keys = providerIds.map(id => membershipKey(id, userId))
    const partitions = new Set((await table.batchGet(keys, signal)).map(membership => membership.PK))
    return providerIds.filter(id => partitions.has(members(id).PK))
  },

  apply: (change, signal) => transact(actionsOf(change), signal),
})

const actionsOf = (change: LinkChange): Action[] => [
  userAction(change),
  ...change.joined.flatMap((id): Action[] => [
    { Update: count(id, 1) },
    { Put: { Item: membershipItem(id, change.userId), ConditionExpression: 'attribute_not_exists(PK)' } },
  ]),
  ...change.left.flatMap((id): Action[] => [
    { Update: count(id, -1) },
    { Delete: { Key: membershipKey(id, change.userId), ConditionExpression: 'attribute_exists(PK)' } },
  ]),
]

/** The change of the user's item, on the condition that its links have not changed since they were read. */
function userAction({ userId, from, to }: LinkChange): Action {
  const stored = from.version as StoredValues
  const there = linkNames.filter(name => stored[name] !== undefined)
  const conditions = linkNames.map(name =>
    there.includes(name) ? `${name} = :old_${name}` : `attribute_not_exists(${name})`,
  )
  const Key = userKey(userId)
  const ConditionExpression = ['attribute_exists(PK)', ...conditions].join(' AND ')
  const olds = Object.fromEntries(there.map(name => [`:old_${name}`, stored[name]]))
  if (to === undefined)
    return {
      Delete: { Key, ConditionExpression, ...(there.length > 0 && { ExpressionAttributeValues: olds }) },
    }

  const links = linkNames.map(name => [name, nullableInt32.encode(to.links[name])] as const)
  const set = links.filter(([, value]) => value !== undefined)
  const removed = links.filter(([, value]) => value === undefined).map(([name]) => name)
  return {
    Update: {
      Key,
      ConditionExpression,
      UpdateExpression: [
        `SET ${['updated_at = :at', ...set.map(([name]) => `${name} = :new_${name}`)].join(', ')}`,
        ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
      ].join(' '),
      ExpressionAttributeValues: {
        ...olds,
        ':at': to.updatedAt,
        ...Object.fromEntries(set.map(([name, value]) => [`:new_${name}`, value])),
      },
    },
  }
}

const count = (providerId: number, by: 1 | -1) => ({
  Key: providerKey(providerId),
  UpdateExpression: 'ADD member_count :by',
  ConditionExpression: '#state = :active',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':active': 'active', ':by': by },
})
