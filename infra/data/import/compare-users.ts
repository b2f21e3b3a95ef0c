import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { Item } from '../../../lib/store/items.ts'
import { providerKey, userIdOf } from '../../../lib/store/keys.ts'
import { membersOf } from '../membership/memberships.ts'
import { usersPerTransaction } from '../membership/change-users.ts'
import type { Input, InputRecord } from '../records/input.ts'
import { keyOf, placeOf } from '../table/conditions.ts'
import type { View } from '../table/linked-providers.ts'
import { decideUser } from './decide-user.ts'
import { differenceOf, type Terms } from './report.ts'

const usersPerRead = 2 * usersPerTransaction
const readsAtOnce = 8

/**
 * Finds what becomes of each user.
 *
 * @param isThere whether a provider is in the table or in the input
 * @returns the places of those whom a write changes
 */
export async function compareUsers(
  terms: Terms,
  input: Input,
  view: View,
  isThere: (id: number) => boolean,
): Promise<ReadonlySet<string>> {
  const { data, update, tell, tally, signal } = terms
  const changing = new Set<string>()
  const absent = new Map<number, { first: InputRecord; users: number }>()
  const compare = (user: InputRecord, stored: Item | undefined) => {
    const { outcome, to } = decideUser({ update, clock: data.clock }, user, stored, view)
    tally.note('users', outcome.is, outcome.moves)
    if (to !== undefined) changing.add(user.place)
    if (outcome.fields.length > 0) tell({ ...user, reason: differenceOf(outcome.fields, update) })
    for (const id of outcome.moves.leftOut.filter(id => !isThere(id))) {
      const { first = user, users = 0 } = absent.get(id) ?? {}
      absent.set(id, { first, users: users + 1 })
    }
  }
  await data.phase('users compared', advance =>
    forEachConcurrently(input.users(usersPerRead), readsAtOnce, async users => {
      // One that is there twice is a fault, and a call reads no key twice.
      const keys = new Map(users.map(({ id, item }) => [id, keyOf(item)]))
      const found = await data.table.batchGet([...keys.values()], signal)
      const byId = new Map(found.map(item => [userIdOf(item), item]))
      for (const user of users) compare(user, byId.get(userIdOf(user.item)))
      advance(users.length)
    }),
  )
  for (const [id, { first, users }] of absent) tellAbsent(terms, id, first, users)
  return changing
}

function tellAbsent({ unlink, tellFault }: Terms, id: number, { place }: InputRecord, users: number) {
  if (unlink.includes(id)) return
  const reason = `${users} users, the first one here, have a link to the provider ${id}, which is in neither the table nor the input: import it with them, or add --unlink ${id} to leave out the link`
  tellFault({ place, id, reason })
}

/** As many users leave a provider now and then. */
const leaversMax = 10
/** Fewer may all leave a provider. */
const usersMin = 3

/**
 * Tells the active providers that would lose all of their users, or more than ten who are more than a tenth: such a change is
 * more often a mistake in the source than meant, and the users would be missing in the answer of the DELETE.
 */
export async function guardMembers(
  { data, unlink, tellFault, tally: { movesOf }, signal }: Terms,
  providers: readonly ProviderRecord[],
): Promise<void> {
  for (const { resource, memberCount } of providers.filter(isListed)) {
    const { id } = resource
    const leaving = movesOf.get(id)?.leave ?? 0
    if (leaving === 0 || unlink.includes(id)) continue
    const { length } = await membersOf(data, id, signal)
    // The count may be wrong, or memberships may be left of users who are not linked any more.
    const users = Math.min(memberCount ?? length, length)
    const isAll = leaving >= users && leaving >= usersMin
    if (!isAll && (leaving <= leaversMax || leaving <= users / 10)) continue
    const reason = `${leaving} of the ${users} users of the provider ${id} would leave it: if that is right, add --unlink ${id}`
    tellFault({ place: placeOf(providerKey(id)), id, reason })
  }
}
