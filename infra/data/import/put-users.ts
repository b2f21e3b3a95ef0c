import type { Item } from '../../../lib/store/items.ts'
import { reportProgress } from '../output.ts'
import { membershipItem, userItem } from '../table/encoding.ts'
import { ownersAmong } from '../table/owners.ts'
import type { Contents } from './check-files.ts'
import type { Run } from './marker.ts'
import { type Line, readFiles } from './read-files.ts'

/** A transaction has at most 100 actions, one of them for the marker, and 4 MB, of which JSON is a rough measure. */
const itemsMax = 99
const bytesMax = 2_000_000

/**
 * Puts all users of files and their memberships, whatever is there.
 *
 * @param contents what the files had when they were checked
 * @throws Error of one sentence when the files have changed, or when another import goes on with them
 */
export async function putUsers(
  files: readonly string[],
  { providers, users, digest }: Contents,
  run: Run,
  signal: AbortSignal,
): Promise<void> {
  const ownersOf = ownersAmong(providers.map(resource => ({ resource })))
  const itemsOf = (line: Line): Item[] => {
    if (line.kind !== 'user') return []
    const ids = ownersOf(line.resource).flatMap(({ owners }) => owners.map(({ resource }) => resource.id))
    return [userItem(line.resource), ...[...new Set(ids)].map(id => membershipItem(id, line.resource.id))]
  }
  const read = readFiles(files, signal)
  using progress = reportProgress('users written', users)
  // One after another: all of them meet at the marker.
  for await (const items of batches(read.lines, itemsOf)) {
    await run.putUsers(items)
    progress.advance(items.filter(({ SK }) => SK === 'USER').length)
  }
  if (read.digest() !== digest)
    throw new Error(
      'The files have changed while they were read: run the import again with those as they were.',
    )
}

/** The items of all users, as many at a time as a transaction may have. */
async function* batches(lines: AsyncIterable<Line>, itemsOf: (line: Line) => Item[]) {
  let items: Item[] = []
  let bytes = 0
  for await (const line of lines)
    for (const item of itemsOf(line)) {
      items.push(item)
      bytes += Buffer.byteLength(JSON.stringify(item))
      if (items.length < itemsMax && bytes < bytesMax) continue
      yield items
      items = []
      bytes = 0
    }
  if (items.length > 0) yield items
}
