import { chunk } from '../../../lib/concurrency.ts'
import type { Links, ProviderRecord } from '../../../lib/domain/provider.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { membershipKey, userIdOf, userKey } from '../../../lib/store/keys.ts'
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
  /**
   * The outcome when the user has a membership of a provider that the user joins, or DynamoDB does not take the change. Absent:
   * an error with the reason ends all changes.
   */
  refused?(reason: string): Outcome
}

/** The change of one user, as far as it can be made in the same transaction as others. */
export interface Plan<Outcome> {
  outcome: Outcome
  actions: Action[]
  /** The changes of the counts of providers, by id. */
  counts: (readonly [id: number, by: number])[]
  /** Whether the user has a membership of a provider without the link to it. */
  isStray: boolean
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
  const decided = changes.map(change => moved(change, userById.get(change.userId), view))
  const found = new Set<string>()
  const memberships = decided.flatMap(({ userId, joined, left, kept }) =>
    [...joined, ...left, ...kept].map(id => membershipKey(id, userId)),
  )
  for (const some of chunk(memberships, 100))
    for (const item of await table.batchGet(some, signal)) found.add(placeOf(item))
  return decided.map(one => planOf(one, id => found.has(placeOf(membershipKey(id, one.userId)))))
}

type Moved<Outcome> = ReturnType<typeof moved<Outcome>>

/** A decision about a user, with the ids of the providers that the user joins and leaves. */
function moved<Outcome>({ userId, decide }: UserChange<Outcome>, user: Item | undefined, view: View) {
  const { outcome, to } = decide(user, view)
  const links = linksOf(user ?? {})
  const before = view.openTo(links)
  const after = to === 'erased' ? [] : view.openTo(to?.links ?? links)
  const idsOf = (some: readonly ProviderRecord[]) => some.map(({ resource }) => resource.id)
  return {
    userId,
    user,
    outcome,
    to,
    joined: idsOf(after.filter(one => !before.includes(one))),
    left: idsOf(before.filter(one => !after.includes(one))),
    // An import may not have given a membership to those who were linked before.
    kept: idsOf(after.filter(one => before.includes(one) && one.state === 'importing')),
  }
}

function planOf<Outcome>(one: Moved<Outcome>, isMember: (id: number) => boolean): Plan<Outcome> {
  const { userId, user, outcome, to, joined } = one
  // A link without a membership is cleared, too, without a change of the count.
  const left = one.left.filter(isMember)
  const added = [...joined, ...one.kept.filter(id => !isMember(id))]
  const actions = [
    ...added.map(id => addition(id, userId)),
    ...left.map(id => deletion(membershipItem(id, userId))),
  ]
  if (to !== undefined) actions.unshift(userAction(user, to))
  else if (added.length > 0) actions.unshift(unchanged(userKey(userId), user, ...linkNames))
  const counts = [...added.map(id => [id, 1] as const), ...left.map(id => [id, -1] as const)]
  return { outcome, actions, counts, isStray: joined.some(isMember) }
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
