import { linksOf } from '../../../lib/store/items.ts'
import { userIdOf } from '../../../lib/store/keys.ts'
import { changeUsers, usersPerTransaction } from '../membership/change-users.ts'
import type { UserChange } from '../membership/plan-changes.ts'
import type { Input, InputRecord } from '../records/input.ts'
import type { View } from '../table/linked-providers.ts'
import { decideUser, type UserOutcome } from './decide-user.ts'
import type { Terms } from './terms.ts'

/** What has become of a user, or why it could not be written. */
type Written = { user: InputRecord } & (UserOutcome | { is: 'failed'; reason: string })

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
  const { data, report, signal } = terms
  const incomplete = new Set<number>()
  const note = (written: Written) => {
    report.note('users', written.is, 'moves' in written ? written.moves : undefined)
    if ('reason' in written) {
      for (const { resource } of view.openTo(linksOf(written.user.item))) incomplete.add(resource.id)
      report.fault(written.user, written.reason)
    } else if (written.is === 'differs') report.difference(written.user, written.fields)
  }
  const users = input.users(usersPerTransaction, ({ place }) => changing.has(place))
  await data.phase('users written', changing.size, async advance => {
    for await (const outcomes of changeUsers(data, changesOf(terms, users), signal)) {
      outcomes.forEach(note)
      advance(outcomes.length)
    }
  })
  return incomplete
}

async function* changesOf({ data, update }: Terms, batches: AsyncIterable<InputRecord[]>) {
  for await (const users of batches)
    yield users.map(
      (user): UserChange<Written> => ({
        userId: userIdOf(user.item),
        refused: reason => ({ user, is: 'failed', reason }),
        decide(stored, view) {
          const { outcome, to } = decideUser({ update, clock: data.clock }, user, stored, view)
          return { outcome: { user, ...outcome }, to }
        },
      }),
    )
}
