import { isDeepStrictEqual } from 'node:util'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import type { Item } from '../../../lib/store/items.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import { providers as providerItems } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'
import { countMemberships } from '../table/count.ts'
import { providerItem } from '../table/items.ts'
import { scanTable } from '../table/scan.ts'
import { isLikeOurs } from '../table/table-item.ts'
import { checkFiles, type Contents } from './check-files.ts'
import { assertOf, findMarker, mark, markUsers, unmark } from './marker.ts'
import { putUsers } from './put-users.ts'

/**
 * Fills a table: a marker first, then users and memberships, and the providers last, so that nobody can use one before its
 * users are there. An import that stopped goes on with the same files. Users are not put again once all are there, because
 * from the first provider on the endpoints may change them.
 *
 * @returns what the files contain; if there are faults, nothing is written
 * @throws Error of one sentence when the table has other items of this service, when other files have begun to fill it, when
 *   the files change, or when another program writes; the signal's reason
 */
export async function importFiles(
  data: Data,
  files: readonly string[],
  dryRun: boolean,
  signal: AbortSignal,
): Promise<Contents> {
  const contents = await checkFiles(files, signal)
  if (contents.faults.size > 0) return contents
  const { digest } = contents
  const begun = await findMarker(data, signal)
  if (begun === undefined) await assertUnused(data, signal)
  else assertOf(digest, begun)
  if (dryRun) return contents
  const marker = await mark(data, digest, signal)
  if (marker.has_users !== true) {
    await putUsers(data, files, contents, signal)
    await assertNoProviders(data, signal)
    await markUsers(data, digest, signal)
  }
  for (const provider of contents.providers) await putProvider(data, provider, signal)
  await unmark(data, digest, signal)
  return contents
}

async function assertUnused(data: Data, signal: AbortSignal) {
  const assertForeign = (item: Item) => {
    if (isLikeOurs(item))
      throw new Error(
        `The table ${data.tableName} has items of this service: an import fills a table that has none.`,
      )
  }
  await scanTable(data, items => items.forEach(assertForeign), signal)
}

async function assertNoProviders({ table, tableName }: Data, signal: AbortSignal) {
  const { length } = await table.query(providerItems, item => item, signal)
  if (length > 0)
    throw new Error(
      `Another program has created providers in the table ${tableName} meanwhile: fill a new table.`,
    )
}

/** Puts a provider unless it is there, and may be in use or even be removed. */
async function putProvider({ table, transact }: Data, provider: SamlProvider, signal: AbortSignal) {
  const Put = {
    Item: providerItem(provider, await countMemberships(table, provider.id, signal)),
    ConditionExpression: 'attribute_not_exists(PK)',
  }
  if (await transact([{ Put }], signal)) return
  const stored = await findProvider(table, provider.id, signal)
  if (!isDeepStrictEqual(stored?.resource, provider))
    throw new Error(`Another program has created the provider ${provider.id} meanwhile: fill a new table.`)
}
