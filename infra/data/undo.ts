import { chunk } from '../../lib/concurrency.ts'
import { providerRecordOf } from '../../lib/store/items.ts'
import { providerKey } from '../../lib/store/keys.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { print, report } from '../command-line/output.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand, onTable } from './command.ts'
import { assertNoImport } from './import/marker.ts'
import { membersOf } from './members.ts'
import type { Data } from './open-data.ts'
import { reportProgress } from './output.ts'
import { bringBack } from './undo/bring-back.ts'
import { linkUsers, type Outcome } from './undo/link-users.ts'

/** A transaction has two actions for each user, one for the count, and 100 at most. */
const usersAtOnce = 45

/**
 * Brings a removed provider back under another id, by the rules for writers, and links the users whom its removal has listed.
 * One that stopped goes on when it is run again.
 *
 * @internal
 * @param tell gets what became of each user
 * @throws Error of one sentence when the provider cannot come back, or is removed again meanwhile
 */
export async function undoRemoval(
  data: Data,
  id: number,
  newId: number,
  tell: (userId: string, outcome: Outcome) => void,
  signal: AbortSignal,
): Promise<void> {
  const { table, tableName } = data
  await assertNoImport(data, signal)
  const item = (await table.get(providerKey(id), signal)) ?? {}
  const removed = providerRecordOf(item)
  if (removed?.state !== 'removed')
    throw new Error(
      `Provider ${id} of ${tableName} is ${removed?.state ?? 'unknown'}: only one that is removed comes back.`,
    )
  const members = await membersOf(removalStore(table), removed, signal)
  const provider = await bringBack(data, item, newId, signal)
  using progress = reportProgress('users linked', members.length)
  for (const some of chunk(members, usersAtOnce)) {
    const ids = some.map(({ userId }) => userId)
    for (const [userId, outcome] of await linkUsers(data, provider, ids, signal)) tell(userId, outcome)
    progress.advance(ids.length)
  }
}

/** Why a user is not linked who could be. */
const reasons: Partial<Record<Outcome, string>> = {
  'linked elsewhere': 'has another link',
  changed: 'is being changed by another program: run it again, and verify if that does not help',
}

export const undoCommand = defineDataCommand(
  'undo',
  'Brings a removed provider back under another id, and links the users whom its removal has listed, unless they have another link. One that stops is run again. Exit code: 0 all who still exist are linked, 1 some are not.',
  ' --provider 7 --as 107',
)
  .requiredOption('--provider <ID>', 'The id of the removed provider.', providerId)
  .requiredOption('--as <ID>', 'Its new id, which no provider has had.', providerId)
  .action(({ table, provider, as }) =>
    onTable(table, async (data, signal) => {
      const counts: Record<Outcome, number> = { linked: 0, erased: 0, 'linked elsewhere': 0, changed: 0 }
      const tell = (userId: string, outcome: Outcome) => {
        counts[outcome] += 1
        if (outcome in reasons) print(`The user ${userId} ${reasons[outcome]}.`)
      }
      await undoRemoval(data, provider, as, tell, signal)
      const others = counts['linked elsewhere'] + counts.changed
      report(
        `Provider ${as}: ${counts.linked} users are linked, ${others} are not, ${counts.erased} were erased.`,
      )
      return others > 0 ? 1 : 0
    }),
  )
