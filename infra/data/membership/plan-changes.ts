import { chunk } from '../../../lib/concurrency.ts'
import { isListed, isOpen, type Links, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { type Key, membershipKey, userIdOf, userKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Table } from '../../../lib/store/table.ts'
import { deletion, placeOf, replacement, unchanged } from '../table/conditions.ts'
import { linkNames, type View, viewOf } from '../table/linked-providers.ts'
import type { Action } from '../table/transact.ts'
import { addition, countChange } from './memberships.ts'

/** What becomes of a user. */
export interface Decision<Outcome> {
  /** The outcome: of a change, when it is made. */
  outcome: Outcome
  /**
   * The change: all links afterwards, and the values to set, `updated_at` among them (undefined ones are removed; of a user
   * who is not there the whole item). Absent: nothing is written.
   */
  to?: { links: Links; values: Item } | 'erased' | undefined
}

/** A change of one user. */
export interface UserChange<Outcome> {
  userId: string
  /** Decides on what is stored; a user who is not there is undefined. */
  decide(user: Item | undefined, view: View): Decision<Outcome>
  /** The ids of providers of which the user may have a membership without the link. */
  mayHave?: ReadonlySet<number>
  /** The outcome when DynamoDB does not take the change. Absent: an error with the reason ends all changes. */
  refused?(reason: string): Outcome
}

/** The change of one user, as far as it can be made in the same transaction as others. */
export interface Plan<Outcome> {
  outcome: Outcome
  actions: Action[]
  /** The changes of the counts of providers, by id. */
  counts: [id: number, by: number][]
}

/** Reads users, providers and memberships, and plans the change of each user. */
export async function planChanges<Outcome>(
  table: Table,
  changes: readonly UserChange<Outcome>[],
  signal: AbortSignal,
): Promise<Plan<Outcome>[]> {
  const keys = changes.map(({ userId }) => userKey(userId))
  const [users, providers] = await Promise.all([table.batchGet(keys, signal), allProviders(table, signal)])
  const userById = new Map(users.map(user => [userIdOf(user), user]))
  const view = viewOf(providers)
  const decided = changes.map(change => decisionOf(change, userById.get(change.userId), view, providers))
  const memberships = new Map<string, Item>()
  const read = decided.flatMap(({ userId, touched }) => touched.map(({ id }) => membershipKey(id, userId)))
  for (const some of chunk(read, 100))
    for (const item of await table.batchGet(some, signal)) memberships.set(placeOf(item), item)
  return decided.map(decision => planOf(decision, key => memberships.get(placeOf(key))))
}

/** A provider of which a change may add or delete the user's membership. */
interface Touched {
  id: number
  wasLinked: boolean
  /** Whether the user is linked to it afterwards. */
  isLinked: boolean
}

type Decided<Outcome> = ReturnType<typeof decisionOf<Outcome>>

function decisionOf<Outcome>(
  { userId, decide, mayHave }: UserChange<Outcome>,
  user: Item | undefined,
  view: View,
  providers: readonly ProviderRecord[],
) {
  const { outcome, to } = decide(user, view)
  const links = linksOf(user ?? {})
  const before = view.openTo(links)
  const after = to === 'erased' ? [] : view.openTo(to?.links ?? links)
  const suspects = providers.filter(provider => isOpen(provider) && mayHave?.has(provider.resource.id))
  const touched = [...new Set([...before, ...after, ...suspects])]
    .map(provider => ({ provider, wasLinked: before.includes(provider), isLinked: after.includes(provider) }))
    // An import may not have given a membership of its provider to those who were linked before.
    .filter(({ provider, wasLinked, isLinked }) => wasLinked !== isLinked || !isListed(provider))
    .map(({ provider, ...links }): Touched => ({ id: provider.resource.id, ...links }))
  return { userId, user, outcome, to, touched }
}

function planOf<Outcome>(
  { userId, user, outcome, to, touched }: Decided<Outcome>,
  membershipAt: (key: Key) => Item | undefined,
): Plan<Outcome> {
  const changes = touched.map(provider => {
    const membership = membershipAt(membershipKey(provider.id, userId))
    return { id: provider.id, ...membershipChange(provider, userId, membership) }
  })
  const actions = changes.flatMap(({ action }) => action ?? [])
  if (to !== undefined) actions.unshift(userAction(user, to))
  else if (actions.length > 0) actions.unshift(unchanged(userKey(userId), user, ...linkNames))
  return { outcome, actions, counts: changes.flatMap(({ id, by }) => (by === 0 ? [] : [[id, by]])) }
}

/** What makes a membership follow the links of its user, and by how much that changes the count. */
function membershipChange(
  { id, wasLinked, isLinked }: Touched,
  userId: string,
  membership: Item | undefined,
): { action?: Action; by: number } {
  const key = membershipKey(id, userId)
  if (membership === undefined)
    // The end of an import may add what is missing, and does not change the user.
    return isLinked ? { action: addition(id, userId), by: 1 } : { action: unchanged(key, undefined), by: 0 }
  if (!isLinked) return { action: deletion(key), by: -1 }
  // One that was left without the link is the user's again.
  return wasLinked ? { by: 0 } : { action: replacement(membership, { expires_at: undefined }), by: 0 }
}

const userAction = (user: Item | undefined, to: NonNullable<Decision<unknown>['to']>): Action => {
  if (to === 'erased') return deletion(user ?? {}, ...linkNames)
  return user === undefined
    ? { Put: { Item: to.values, ConditionExpression: 'attribute_not_exists(PK)' } }
    : replacement(user, to.values, ...linkNames)
}

/** The actions of several users, with one change of each count. */
export function together(plans: readonly Plan<unknown>[]): Action[] {
  const sums = new Map<number, number>()
  for (const { counts } of plans) for (const [id, by] of counts) sums.set(id, (sums.get(id) ?? 0) + by)
  // A sum of 0 holds that users can be linked to the provider.
  const counts = Array.from(sums, ([id, by]) => countChange(id, by))
  return [...counts, ...plans.flatMap(({ actions }) => actions)]
}
