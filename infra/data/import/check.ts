import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { userItem } from '../../../lib/store/items.ts'
import { type Entry, readEntries, type Source } from '../records/source.ts'
import type { Note, Report } from './report.ts'
import type { Spool } from './spool.ts'

export interface ProviderEntry {
  place: string
  provider: SamlProvider
}

/**
 * Reads and checks each record once.
 *
 * @param users gets the users
 * @returns the providers
 */
export async function checkRecords(
  sources: readonly Source[],
  users: Spool,
  { phase }: Report,
  note: Note,
  signal: AbortSignal,
): Promise<ProviderEntry[]> {
  const ids = new Set<string>()
  const providers: ProviderEntry[] = []
  const take = ({ place, record, faults }: Entry) => {
    if (record === undefined) return note('others', place, { fault: faults.join('; ') })
    if (record.kind === 'provider') return providers.push({ place, provider: record.resource })
    const { id } = record.resource
    if (ids.has(id)) return note('users', place, { fault: `the user ${id} is already in the input` })
    ids.add(id)
    users.add({ place, item: userItem(record.resource) })
  }
  const sizes = sources.map(({ bytes }) => bytes ?? Number.NaN)
  const totalBytes = sizes.reduce((sum, bytes) => sum + bytes, 0)
  await phase('checking', Number.isNaN(totalBytes) ? undefined : totalBytes, async advance => {
    for (const source of sources)
      for await (const entries of readEntries(source, advance, signal)) entries.forEach(take)
  })
  return providers
}
