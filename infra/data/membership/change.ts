import { Failure } from '../../../lib/domain/failure.ts'
import { nullableInt32 } from '../../../lib/domain/fields.ts'
import { isLinked, isListed, type Links, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { type Item, membershipItem } from '../../../lib/store/items.ts'
import { membershipKey, members, providerKey, userIdOf, userKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Table } from '../../../lib/store/table.ts'
import { linksOf } from '../linked-providers.ts'
import { correction, deletion } from '../conditions.ts'
import type { Action, Transact } from '../transact.ts'

/** The calls of the functions that change memberships. */
export interface Calls {
  table: Table
  transact: Transact
}

/** New links of a user. */
export interface NewLinks {
  links: Links
  /** ISO 8601 UTC with milliseconds; undefined: the user has none, as in the record of an import. */
  updatedAt: string | undefined
}

/** A change of one user's links, in all items that it concerns. */
export interface LinkChange {
  /** The item as it was read: the change is made on the condition that its links are still the same. */
  user: Item
  /** What the user gets; undefined: the user is erased. */
  to: NewLinks | undefined
  /** Active providers that get a membership of the user. */
  joined: readonly number[]
}

export const linkNames = ['saml_provider_id', 'sso_provider_id'] as const

const triesMax = 20

/**
 * Changes a user on the basis of the user's item and all providers. Repeats the read, the decision and the conditional
 * write until no other writer interferes.
 *
 * @param attempt returns undefined when another writer changed what it was given
 * @throws Failure `table_busy` after 20 attempts; the signal's reason
 */
export async function changeUser<Outcome>(
  { table }: Calls,
  userId: string,
  signal: AbortSignal,
  attempt: (user: Item, providers: ProviderRecord[]) => Promise<Outcome | undefined>,
): Promise<Outcome | 'user_not_found'> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const [user, providers] = await Promise.all([
      table.get(userKey(userId), signal),
      allProviders(table, signal),
    ])
    if (user === undefined) return 'user_not_found'
    const outcome = await attempt(user, providers)
    if (outcome !== undefined) return outcome
  }
  throw new Failure('table_busy', {}, new Error(`other writers interfered ${triesMax} times`))
}

/** The given providers that have a membership of the user. */
export async function membershipsOf(
  { table }: Calls,
  user: Item,
  providerIds: readonly number[],
  signal: AbortSignal,
): Promise<number[]> {
  if (providerIds.length === 0) return []
  const keys = providerIds.map(id => membershipKey(id, userIdOf(user)))
  const partitions = new Set((await table.batchGet(keys, signal)).map(membership => membership.PK))
  return providerIds.filter(id => partitions.has(members(id).PK))
}

/**
 * Makes a change, and ends the memberships for which no link is left, or changes nothing.
 *
 * @returns false when a stored value has changed since it was read
 */
export async function apply(
  calls: Calls,
  { user, to, joined }: LinkChange,
  providers: readonly ProviderRecord[],
  signal: AbortSignal,
): Promise<boolean> {
  const before = linksOf(user)
  const userId = userIdOf(user)
  const gone = providers.filter(
    ({ resource }) => isLinked(before, resource) && (to === undefined || !isLinked(to.links, resource)),
  )
  // The memberships and the count of a provider that is not active do not change.
  const active = gone.filter(isListed).map(({ resource }) => resource.id)
  // A link without a membership is cleared, too, without a change of the count.
  const left = await membershipsOf(calls, user, active, signal)
  const actions: Action[] = [
    to === undefined ? deletion(user, ...linkNames) : newLinks(user, to),
    ...joined.flatMap(id => [countChange(id, 1), addition(id, userId)]),
    ...left.flatMap(id => [countChange(id, -1), deletion(membershipItem(id, userId))]),
  ]
  return calls.transact(actions, signal)
}

const newLinks = (user: Item, { links, updatedAt }: NewLinks): Action =>
  correction(
    user,
    [
      { path: ['updated_at'], value: updatedAt },
      ...linkNames.map(name => ({ path: [name], value: nullableInt32.encode(links[name]) })),
    ],
    linkNames.map(name => [name]),
  )

/** Adds a membership that does not exist. */
export const addition = (providerId: number, userId: string): Action => ({
  Put: { Item: membershipItem(providerId, userId), ConditionExpression: 'attribute_not_exists(PK)' },
})

/** Changes the `member_count` of a provider on the condition that it is active. */
export const countChange = (providerId: number, by: 1 | -1): Action => ({
  Update: {
    Key: providerKey(providerId),
    UpdateExpression: 'ADD member_count :by',
    ConditionExpression: '#state = :active',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':active': 'active', ':by': by },
  },
})
