import { chunk } from '../../../lib/concurrency.ts'
import { Failure } from '../../../lib/domain/failure.ts'
import { isLinked, isListed, type Links, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { membershipKey, userIdOf, userKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Table } from '../../../lib/store/table.ts'
import { deletion, placeOf, replacement } from '../table/conditions.ts'
import { type View, viewOf } from '../table/linked-providers.ts'
import { addition, countChange } from '../member-count.ts'
import type { Action, Transact } from '../table/transact.ts'

/** The calls of the functions that change users. */
export interface Calls {
  table: Table
  transact: Transact
  /** Active providers that are about to be created, and will then be given the number of their memberships. */
  coming?: readonly ProviderRecord[]
}

/** What becomes of a user. */
export interface Decision<Outcome> {
  /** The outcome: of a change, when it is made. */
  outcome: Outcome
  /**
   * The change: all links afterwards, and the values to set, `updated_at` among them (undefined ones are removed; of a user
   * who is not there the whole item). Absent: nothing is written.
   */
  to?: { links: Links; values: Item } | 'erased'
}

/** A change of one user, decided on what is stored and coming; a user who is not there is undefined. */
export interface UserChange<Outcome> {
  userId: string
  decide(user: Item | undefined, view: View): Decision<Outcome>
  /** The outcome when the user would join a provider and has a membership of it without the link. */
  alreadyMember: Outcome
  /** The outcome when DynamoDB does not take the change of this user. Absent: an error with the reason ends all changes. */
  invalid?(reason: string): Outcome
}

/** The fields of a user that link it. */
export const linkNames = ['saml_provider_id', 'sso_provider_id'] as const

const triesMax = 20
/** DynamoDB takes 100 actions and 4 MB in a transaction. JSON is longer than the items. */
const usersPerTransaction = 49
const actionsMax = 100
const bytesMax = 3_500_000

/**
 * Changes users, and with their links their memberships and the counts: as many in one transaction as it takes, so that users
 * of one provider do not wait for one another. The memberships and the count of a provider that is not active stay: they are
 * part of the list that clients still have to get. When a condition does not hold, or DynamoDB does not take a change, each
 * half is read and decided again.
 *
 * @param advance called with the number of users who are done
 * @returns the outcomes in order
 * @throws Failure `table_busy` when other writers interfere with one user 20 times; the signal's reason
 */
export async function changeUsers<Outcome>(
  calls: Calls,
  changes: readonly UserChange<Outcome>[],
  signal: AbortSignal,
  advance: (users: number) => void = () => {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const some of chunk(changes, usersPerTransaction)) {
    outcomes.push(...(await changeTogether(calls, some, signal)))
    advance(some.length)
  }
  return outcomes
}

async function changeTogether<Outcome>(
  calls: Calls,
  changes: readonly UserChange<Outcome>[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  let wasMember = false
  for (let tries = 1; tries <= triesMax; tries++) {
    const plans = await planChanges(calls, changes, signal)
    const outcomes = plans.map(({ outcome }) => outcome)
    const actions = together(plans)
    const isAlone = changes.length === 1
    const isMember = plans.some(plan => plan.isMember)
    // Perhaps another writer linked the user between the two reads.
    if (isMember && isAlone && wasMember) return changes.map(({ alreadyMember }) => alreadyMember)
    wasMember = isMember
    const isSmall = actions.length <= actionsMax && Buffer.byteLength(JSON.stringify(actions)) <= bytesMax
    if (!isMember && (isSmall || isAlone)) {
      if (actions.length === 0) return outcomes
      const refusal = await calls.transact(actions, signal)
      if (refusal === undefined) return outcomes
      const { invalid: reason } = refusal
      if (isAlone && reason !== undefined) return changes.map(({ invalid = fail }) => invalid(reason))
    }
    if (!isAlone) {
      const all: Outcome[] = []
      for (const half of chunk(changes, Math.ceil(changes.length / 2)))
        all.push(...(await changeTogether(calls, half, signal)))
      return all
    }
  }
  throw new Failure('table_busy', {}, new Error(`other writers interfered ${triesMax} times`))
}

function fail(reason: string): never {
  throw new Error(reason)
}

/** The change of one user, as far as it can be made in the same transaction as others. */
interface Plan<Outcome> {
  outcome: Outcome
  actions: Action[]
  /** The changes of the counts of providers in the table, by id. */
  counts: [id: number, by: 1 | -1][]
  /** Whether the user has a membership of a provider without the link to it. */
  isMember: boolean
}

async function planChanges<Outcome>(
  { table, coming = [] }: Calls,
  changes: readonly UserChange<Outcome>[],
  signal: AbortSignal,
): Promise<Plan<Outcome>[]> {
  const keys = changes.map(({ userId }) => userKey(userId))
  const [users, providers] = await Promise.all([table.batchGet(keys, signal), allProviders(table, signal)])
  const userById = new Map(users.map(user => [userIdOf(user), user]))
  const stored = new Set(providers.map(({ resource }) => resource.id))
  const view = viewOf([...providers, ...coming.filter(({ resource }) => !stored.has(resource.id))])
  const open = view.providers.filter(isListed).map(({ resource }) => resource)
  const comingIds = new Set(coming.map(({ resource }) => resource.id))

  const decided = changes.map(({ userId, decide }) => {
    const user = userById.get(userId)
    const { outcome, to } = decide(user, view)
    const before = linksOf(user ?? {})
    const isAfter = (one: SamlProvider) =>
      to === undefined ? isLinked(before, one) : to !== 'erased' && isLinked(to.links, one)
    const joined = open.filter(one => isAfter(one) && !isLinked(before, one)).map(({ id }) => id)
    const had = open.filter(one => isLinked(before, one))
    const gone = had.filter(one => !isAfter(one)).map(({ id }) => id)
    // A user who was stored meanwhile.
    const kept = had.filter(one => isAfter(one) && comingIds.has(one.id)).map(({ id }) => id)
    return { userId, user, outcome, to, joined, gone, kept }
  })
  const memberships = decided.flatMap(({ userId, joined, gone, kept }) =>
    [...joined, ...gone, ...kept].map(id => membershipKey(id, userId)),
  )
  const found = new Set<string>()
  for (const some of chunk(memberships, 100))
    for (const item of await table.batchGet(some, signal)) found.add(placeOf(item))

  return decided.map(({ userId, user, outcome, to, joined, gone, kept }) => {
    const has = (id: number) => found.has(placeOf(membershipKey(id, userId)))
    // A link without a membership is cleared, too, without a change of the count.
    const left = gone.filter(has)
    const actions = [
      ...(to === undefined ? [] : [userAction(user, to)]),
      ...joined.map(id =>
        stored.has(id) ? addition(id, userId) : { Put: { Item: membershipItem(id, userId) } },
      ),
      ...left.map(id => deletion(membershipItem(id, userId))),
      ...kept.filter(id => !has(id)).map(id => addition(id, userId)),
    ]
    const counts = [...joined.map(id => [id, 1] as const), ...left.map(id => [id, -1] as const)]
    return {
      ...{ outcome, actions, counts: counts.filter(([id]) => stored.has(id)) as Plan<Outcome>['counts'] },
      isMember: joined.some(id => stored.has(id) && has(id)),
    }
  })
}

const userAction = (user: Item | undefined, to: NonNullable<Decision<unknown>['to']>): Action => {
  if (to === 'erased') return deletion(user ?? {}, ...linkNames)
  return user === undefined
    ? { Put: { Item: to.values, ConditionExpression: 'attribute_not_exists(PK)' } }
    : replacement(user, to.values, ...linkNames)
}

/** The actions of several users, with one change of each count. */
function together(plans: readonly Plan<unknown>[]): Action[] {
  const sums = new Map<number, number>()
  for (const { counts } of plans) for (const [id, by] of counts) sums.set(id, (sums.get(id) ?? 0) + by)
  // A sum of 0 holds that the provider is active.
  const counts = Array.from(sums, ([id, by]) => countChange(id, by))
  return [...counts, ...plans.flatMap(({ actions }) => actions)]
}
