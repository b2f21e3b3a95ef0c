import { forEachConcurrently } from '../../../lib/concurrency.ts'
import type { Item } from '../../../lib/store/items.ts'
import { userIdOf } from '../../../lib/store/keys.ts'
import { usersPerTransaction } from '../membership/change-users.ts'
import type { Decision } from '../membership/plan-changes.ts'
import type { Input, InputRecord } from '../records/input.ts'
import { keyOf } from '../table/conditions.ts'
import type { View } from '../table/linked-providers.ts'
import { decideUser, type UserOutcome } from './decide-user.ts'
import type { Terms } from './terms.ts'

/** What the comparison of all users has found. */
export interface ComparedUsers {
  /** The places of those whom a write changes. */
  changing: Set<string>
  /** How many leave a provider, by its id. */
  leaving: Map<number, number>
  /** The users who lose a link because its provider takes none, by its id. */
  losing: Map<number, { first: InputRecord; users: number }>
}

const usersPerRead = 2 * usersPerTransaction
const readsAtOnce = 8

/**
 * Finds what becomes of each user, and tells who differs.
 *
 * @param total the number of users in the input
 * @param view the providers after the import
 */
export async function compareUsers(
  terms: Terms,
  input: Input,
  total: number,
  view: View,
): Promise<ComparedUsers> {
  const { data, update, signal } = terms
  const compared: ComparedUsers = { changing: new Set(), leaving: new Map(), losing: new Map() }
  const compare = (user: InputRecord, stored: Item | undefined) =>
    note(terms, compared, user, decideUser({ update, clock: data.clock }, user, stored, view))
  await data.phase('users compared', total, advance =>
    forEachConcurrently(input.users(usersPerRead), readsAtOnce, async users => {
      // One that is there twice is a fault, and a call reads no key twice.
      const keys = new Map(users.map(({ id, item }) => [id, keyOf(item)]))
      const found = await data.table.batchGet([...keys.values()], signal)
      const byId = new Map(found.map(item => [userIdOf(item), item]))
      for (const user of users) compare(user, byId.get(userIdOf(user.item)))
      advance(users.length)
    }),
  )
  return compared
}

function note(
  { dryRun, report }: Terms,
  { changing, leaving, losing }: ComparedUsers,
  user: InputRecord,
  { outcome, to }: Decision<UserOutcome>,
) {
  // What is written is counted then.
  if (to === undefined || dryRun) report.note('users', outcome.is, outcome.moves)
  if (outcome.fields.length > 0) report.difference(user, outcome.fields)
  if (to !== undefined) changing.add(user.place)
  for (const id of outcome.moves.leave) leaving.set(id, (leaving.get(id) ?? 0) + 1)
  for (const id of outcome.lost) {
    const { first, users } = losing.get(id) ?? { first: user, users: 0 }
    losing.set(id, { first, users: users + 1 })
  }
}
