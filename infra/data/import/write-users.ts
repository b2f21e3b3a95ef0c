import { linksOf } from '../../../lib/store/items.ts'
import { userIdOf } from '../../../lib/store/keys.ts'
import { changeUsers, usersPerTransaction } from '../membership/change-users.ts'
import type { UserChange } from '../membership/plan-changes.ts'
import type { Input, InputRecord } from '../records/input.ts'
import type { View } from '../table/linked-providers.ts'
import { decideUser, type UserOutcome } from './decide-user.ts'
import type { Terms } from './terms.ts'

/** What has become of a user, or why it could not be written. */
type Written = UserOutcome | { is: 'failed'; reason: string }

/**
 * Writes users one transaction after another: all who link users of a provider write its count.
 *
 * @param changing the places of those whom a write changes
 * @param view the providers after the import
 * @returns the ids of the providers to which users should be linked who could not be written
 */
export async function writeUsers(
  terms: Terms,
  input: Input,
  changing: ReadonlySet<string>,
  view: View,
): Promise<ReadonlySet<number>> {
  const { data, update, report, signal } = terms
  const incomplete = new Set<number>()
  const changeOf = (user: InputRecord): UserChange<Written> => ({
    userId: userIdOf(user.item),
    refused: reason => ({ is: 'failed', reason }),
    decide: (stored, now) => decideUser({ update, clock: data.clock }, user, stored, now),
  })
  const note = (user: InputRecord, outcome: Written) => {
    if ('reason' in outcome) {
      for (const { resource } of view.openTo(linksOf(user.item))) incomplete.add(resource.id)
      report.note('users', 'failed')
      return report.fault(user, outcome.reason)
    }
    report.note('users', outcome.is, outcome.moves)
    if (outcome.is === 'differs') report.difference(user, outcome.fields)
  }
  await data.phase('users written', changing.size, async advance => {
    for await (const users of input.users(usersPerTransaction, ({ place }) => changing.has(place))) {
      const outcomes = await changeUsers(data, users.map(changeOf), signal)
      for (const [n, user] of users.entries()) note(user, outcomes[n] as Written)
      advance(users.length)
    }
  })
  return incomplete
}
