import { isListed } from '../../lib/domain/provider.ts'
import { linksOf } from '../../lib/store/items.ts'
import { membershipKey, userKey } from '../../lib/store/keys.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { report } from '../command-line/output.ts'
import { userId } from '../command-line/values.ts'
import { defineDataCommand, onTable } from './command.ts'
import { assertNoImport } from './import/marker.ts'
import type { Data } from './open-data.ts'
import { ifUnchanged, countBy } from './table/actions.ts'
import type { Action } from '../../lib/store/transact.ts'

/**
 * Deletes a user, and the user's memberships of active providers, by the rules for writers.
 *
 * @internal
 * @returns `changed`: another program has changed the user or a provider meanwhile, and nothing is deleted
 * @throws Error of one sentence while an import is unfinished, which would put the user again
 */
export async function eraseUser(
  { table, tryWrite }: Pick<Data, 'table' | 'tryWrite'>,
  id: string,
  signal: AbortSignal,
): Promise<'erased' | 'missing' | 'changed'> {
  await assertNoImport({ table }, signal)
  const user = await table.get(userKey(id), signal)
  if (user === undefined) return 'missing'
  const leaving: Action[] = []
  for (const { resource } of (await allProviders(table, signal)).filter(isListed)) {
    const membership = await table.get(membershipKey(resource.id, id), signal)
    if (membership) leaving.push({ Delete: ifUnchanged(membership, []) }, countBy(resource.id, -1))
  }
  const deletion = { Delete: ifUnchanged(user, Object.keys(linksOf(user))) }
  return (await tryWrite([deletion, ...leaving], signal)) ? 'erased' : 'changed'
}

export const eraseCommand = defineDataCommand(
  'erase',
  'Deletes a user, with all memberships of active providers. Exit code: 0 erased, 1 nothing was deleted.',
  ' --user 5a3d1c9e-7b42-4f06-9d18-c0ffee000003',
)
  .requiredOption('--user <UUID>', 'The id of the user, in lower case.', userId)
  .action(({ table, user }) =>
    onTable(table, async (data, signal) => {
      const outcome = await eraseUser(data, user, signal)
      const sentences = {
        erased: `The user ${user} is erased from ${table}.`,
        missing: `There is no user ${user} in ${table}.`,
        changed: `Another program has just changed the user ${user}, or a provider: run it again.`,
      }
      report(sentences[outcome])
      return outcome === 'erased' ? 0 : 1
    }),
  )
