import type { Data } from '../open-data.ts'
import { reportProgress } from '../output.ts'
import { countMemberships } from '../table/count.ts'
import { providerItem } from '../table/encoding.ts'
import { scanTable } from '../table/scan.ts'
import { isLikeOurs } from '../table/kinds.ts'
import { checkFiles, type Contents } from './check-files.ts'
import { assertOf, beginRun, findMarker } from './marker.ts'
import { putUsers } from './put-users.ts'

/**
 * Fills a table: a marker first, then users and memberships, and the providers last, so that nobody can use one before its
 * users are there. One that stopped goes on with the same files; if it still runs, it stops now. Users are not put again once
 * there is a provider, because from then on the endpoints may change them.
 *
 * @param options.dryRun only checks the files and the table
 * @returns what the files contain; if there are faults, nothing is written
 * @throws Error of one sentence when the table has other items of this service, when other files have begun to fill it, when
 *   the files change, or when another import goes on with them; the signal's reason
 */
export async function importFiles(
  data: Data,
  files: readonly string[],
  signal: AbortSignal,
  { dryRun = false } = {},
): Promise<Contents> {
  const contents = await checkFiles(files, signal)
  if (contents.faults.size > 0) return contents
  const { digest } = contents
  const begun = await findMarker(data, signal)
  if (begun === undefined || begun.isLate) await assertUnused(data, signal)
  else assertOf(digest, begun)
  if (dryRun) return contents
  const run = await beginRun(data, digest, signal)
  // Another import may have filled the table after it was scanned, and before this run began.
  if ((await findMarker(data, signal))?.isLate) {
    await run.end()
    throw used(data)
  }
  if (!run.hasUsers) await putUsers(files, contents, run, signal)
  using progress = reportProgress('providers written', contents.providers.length)
  for (const provider of contents.providers) {
    await run.putProvider(providerItem(provider, await countMemberships(data.table, provider.id, signal)))
    progress.advance(1)
  }
  await run.end()
  return contents
}

const assertUnused = (data: Data, signal: AbortSignal) =>
  scanTable(
    data,
    items => {
      if (items.some(isLikeOurs)) throw used(data)
    },
    signal,
  )

const used = ({ tableName }: Data) =>
  new Error(`The table ${tableName} has items of this service: an import fills a table that has none.`)
