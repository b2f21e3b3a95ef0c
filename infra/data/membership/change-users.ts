import { chunk, type Items, prefetch } from '../../../lib/concurrency.ts'
import { Failure } from '../../../lib/domain/failure.ts'
import type { Table } from '../../../lib/store/table.ts'
import type { Action, Transact } from '../table/transact.ts'
import { planChanges, type Plan, together, type UserChange } from './plan-changes.ts'

/** The calls of the functions that change users. */
export interface Calls {
  table: Table
  transact: Transact
}

const triesMax = 20
/** DynamoDB takes 100 actions and 4 MB in a transaction: 45 users of up to ten providers. JSON is longer than the items. */
export const usersPerTransaction = 45
const actionsMax = 100
const bytesMax = 3_500_000

/**
 * Changes users, and with their links their memberships and the counts: each batch in one transaction, so that users of one
 * provider do not wait for one another. The memberships and the count of a provider in removal stay: they are part of the list
 * that clients still have to get.
 *
 * @param batches of at most 45 different users; no user is in two of them
 * @returns the outcomes of each batch when it is written, in order
 * @throws Failure `table_busy` when other writers interfere with one user 20 times; the signal's reason
 */
export async function* changeUsers<Outcome>(
  calls: Calls,
  batches: Items<readonly UserChange<Outcome>[]>,
  signal: AbortSignal,
): AsyncGenerator<Outcome[]> {
  // The next batch is read and planned while this one is written.
  const planned = prefetch(batches, 2, async changes => ({
    changes,
    plans: await planChanges(calls.table, changes, signal),
  }))
  for await (const { changes, plans } of planned) yield await changeTogether(calls, changes, plans, signal)
}

/** Changes users in one transaction; if it cannot be made, each half is read and decided again. */
async function changeTogether<Outcome>(
  calls: Calls,
  changes: readonly UserChange<Outcome>[],
  plans: readonly Plan<Outcome>[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const actions = together(plans)
  if (fitsInOne(actions) && (await made(calls, actions, signal)) === undefined)
    return plans.map(({ outcome }) => outcome)
  if (changes.length === 1) return [await changeOne(calls, changes[0] as UserChange<Outcome>, signal)]
  const outcomes: Outcome[] = []
  for (const half of chunk(changes, Math.ceil(changes.length / 2)))
    outcomes.push(
      ...(await changeTogether(calls, half, await planChanges(calls.table, half, signal), signal)),
    )
  return outcomes
}

async function changeOne<Outcome>(calls: Calls, change: UserChange<Outcome>, signal: AbortSignal) {
  const { refused = fail } = change
  for (let tries = 1; tries <= triesMax; tries++) {
    const [plan] = (await planChanges(calls.table, [change], signal)) as [Plan<Outcome>]
    const refusal = await made(calls, together([plan]), signal)
    if (refusal === undefined) return plan.outcome
    if (refusal.invalid !== undefined) return refused(`DynamoDB does not take the user: ${refusal.invalid}`)
  }
  throw new Failure('table_busy', {}, new Error(`other writers interfered ${triesMax} times`))
}

const made = async ({ transact }: Calls, actions: readonly Action[], signal: AbortSignal) =>
  actions.length === 0 ? undefined : transact(actions, signal)

const fitsInOne = (actions: readonly Action[]) =>
  actions.length <= actionsMax && Buffer.byteLength(JSON.stringify(actions)) <= bytesMax

function fail(reason: string): never {
  throw new Error(reason)
}

/**
 * Deletes users, and their memberships of the active providers to which they are linked.
 *
 * @param advance called with the number of users who are done
 * @returns the ids of those who were not there
 */
export async function eraseUsers(
  calls: Calls,
  userIds: readonly string[],
  signal: AbortSignal,
  advance: (users: number) => void = () => {},
): Promise<string[]> {
  const changeOf = (userId: string): UserChange<string | undefined> => ({
    userId,
    decide: user => (user === undefined ? { outcome: userId } : { outcome: undefined, to: 'erased' }),
  })
  const missing: string[] = []
  const batches = chunk(userIds, usersPerTransaction).map(ids => ids.map(changeOf))
  for await (const outcomes of changeUsers(calls, batches, signal)) {
    missing.push(...outcomes.filter(id => id !== undefined))
    advance(outcomes.length)
  }
  return missing
}
