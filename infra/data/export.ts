import { isListed } from '../../lib/domain/provider.ts'
import { nullableInt32 } from '../../lib/domain/fields.ts'
import { type Item, linksOf, userOf } from '../../lib/store/items.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { report } from '../command-line/output.ts'
import { defineDataCommand, onTable } from './command.ts'
import { assertNoImport } from './import/marker.ts'
import type { Data } from './open-data.ts'
import { write } from './output.ts'
import { ownersAmong } from './table/owners.ts'
import { scanTable } from './table/scan.ts'
import { kindOf, unreadableIn } from './table/kinds.ts'

/**
 * Writes the active providers by id, then all users in any order, as the service shows them, one a line. A user has no links
 * to other providers, as their removal leaves them.
 *
 * @internal
 * @param write awaited before more is read
 * @returns a sentence that says how much it is
 * @throws Error of one sentence that says why this is not all that the table has, or will have
 */
export async function exportTable(
  data: Data,
  write: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<string> {
  const stored = await allProviders(data.table, signal)
  const ownersOf = ownersAmong(stored)
  // An `sso_provider_id` that no provider has belongs to another protocol.
  const droppedLinks = (item: Item) =>
    ownersOf(linksOf(item)).filter(({ name, owners }) =>
      owners.length === 0 ? name === 'saml_provider_id' : !owners.some(isListed),
    )
  const exported = (item: Item) => {
    const none = droppedLinks(item).map(({ name }) => [name, nullableInt32.decode(undefined)])
    return { ...userOf(item), ...Object.fromEntries(none) }
  }
  const lines = (resources: readonly object[]) => resources.map(one => `${JSON.stringify(one)}\n`).join('')
  const active = stored.filter(isListed).map(({ resource }) => resource)
  await write(lines(active))
  const isUser = (item: Item) => kindOf(item).kind === 'user'
  const isBroken = (item: Item) =>
    unreadableIn(item).length > 0 ||
    (isUser(item) && droppedLinks(item).some(({ owners }) => owners.length === 0))
  let broken = 0
  let users = 0
  const exportUsers = (items: Item[]) => {
    const some = items.filter(isUser)
    users += some.length
    broken += items.filter(isBroken).length
    return write(lines(some.map(exported)))
  }
  await scanTable(data, exportUsers, signal)

  await assertNoImport(data, signal)
  const wasListed = new Set(active.map(({ id }) => id))
  const unsettled = (await allProviders(data.table, signal)).filter(
    ({ state, resource }) => state === 'removing' || (state === 'removed' && wasListed.has(resource.id)),
  )
  const ids = unsettled.map(({ resource }) => resource.id).join(', ')
  if (ids !== '') throw new Error(`In removal: the providers ${ids}. Export again when they are removed.`)
  if (broken > 0) throw new Error(`${broken} items are not, or not wholly, in the export: verify names them.`)
  return `${active.length} providers and ${users} users exported.`
}

export const exportCommand = defineDataCommand(
  'export',
  'Prints all active providers and all users in the form of import. Exit code: 0 all, 1 a provider is in removal, an import is unfinished, or items break the rules for writers.',
  ' > records.ndjson',
).action(({ table }) =>
  onTable(table, async (data, signal) => {
    report(await exportTable(data, write, signal))
    return 0
  }),
)
