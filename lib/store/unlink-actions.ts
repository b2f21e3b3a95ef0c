import { type LinkName, linkValuesOf, type ProviderRecord } from '../domain/provider.ts'
import type { Item } from './items.ts'
import { type Key, membershipKey, providerKey, userKey } from './keys.ts'
import type { Action } from './transact.ts'

/** A member, and the links of the user to clear. Of several, the user may lack some. */
interface LinkedMember {
  userId: string
  links: readonly LinkName[]
}

/** With each condition that does not hold, DynamoDB returns the item as it is. */
const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

/** Marks members and unlinks their users, on the condition that the provider is still in this removal. */
export const actionsOf = (
  provider: ProviderRecord,
  members: readonly LinkedMember[],
  atMs: number,
): Action[] => [
  { ConditionCheck: { Key: providerKey(provider.resource.id), ...whileRemoving(provider) } },
  ...members.flatMap(({ userId, links }) => [
    mark(membershipKey(provider.resource.id, userId), provider),
    clearLinks(userKey(userId), links, provider, atMs),
  ]),
]

/** The condition that the provider is still in the removal in which it was read. */
export const whileRemoving = ({ removal: { id } }: ProviderRecord) => ({
  ConditionExpression: `#state = :removing AND ${id === undefined ? 'NOT attribute_type(removal_id, :id)' : 'removal_id = :id'}`,
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':removing': 'removing', ':id': id ?? 'S' } as Item,
})

const mark = (Key: Key, { removal }: ProviderRecord): Action => ({
  Update: {
    Key,
    UpdateExpression: 'SET expires_at = :end',
    ConditionExpression: 'attribute_exists(PK) AND (attribute_not_exists(expires_at) OR expires_at <> :end)',
    ExpressionAttributeValues: { ':end': removal.retainedUntil },
    ...returned,
  },
})

/**
 * Clears these links of a user, on the condition that at least one is there, that none of them is to another provider, and that no
 * other link is to this one. Where there are none to clear, it only checks that.
 */
function clearLinks(
  Key: Key,
  links: readonly LinkName[],
  { resource }: ProviderRecord,
  atMs: number,
): Action {
  const all = linkValuesOf(resource)
  const values: Item = Object.fromEntries(all.map(([name, value]) => [`:${name}`, value]))
  const conditions = all.map(([name]) => {
    const operator = links.includes(name) ? '=' : '<>'
    return `(attribute_not_exists(${name}) OR ${name} ${operator} :${name})`
  })
  if (links.length === 0) {
    const check = { ConditionExpression: conditions.join(' AND '), ExpressionAttributeValues: values }
    return { ConditionCheck: { Key, ...check, ...returned } }
  }
  const isLinked = links.map(name => `${name} = :${name}`).join(' OR ')
  return {
    Update: {
      Key,
      UpdateExpression: `SET updated_at = :now REMOVE ${links.join(', ')}`,
      ConditionExpression: [`(${isLinked})`, ...conditions].join(' AND '),
      ExpressionAttributeValues: { ...values, ':now': new Date(atMs).toISOString() },
      ...returned,
    },
  }
}
