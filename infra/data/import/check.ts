import { isJsonObject } from '../../../lib/domain/json.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'
import { providerItem, userItem } from '../../../lib/store/items.ts'
import { type Entry, readEntries, type Source } from '../records/source.ts'
import type { CheckedRecord, ProviderEntry } from './checked-record.ts'
import { type Ledger, type Report, refused } from './report.ts'
import type { Spool } from './spool.ts'

/**
 * Reads and checks each record once.
 *
 * @param users gets the users
 * @param isKept whether the records as they were read are needed later
 * @returns the providers
 */
export async function checkRecords(
  sources: readonly Source[],
  users: Spool,
  isKept: boolean,
  { phase }: Report,
  { tally, note }: Ledger,
  signal: AbortSignal,
): Promise<ProviderEntry[]> {
  const providers: ProviderEntry[] = []
  const take = ({ place, record, faults, given: read }: Entry) => {
    const given = isKept ? read : undefined
    const refuse = (kind: 'users' | 'unreadable', fault: string) =>
      note(kind, { place, outcome: refused(fault), given })
    const kind = record === undefined ? 'unreadable' : (`${record.kind}s` as const)
    tally[kind].read += 1
    if (record === undefined) return refuse('unreadable', faults.join('; '))
    const { resource } = record
    const checked = {
      place,
      ...leftOutOf(record.kind === 'user' ? userShape : samlProviderShape, read),
      given,
    }
    if (record.kind === 'provider')
      return providers.push({ ...checked, item: providerItem(record.resource, 0), provider: record.resource })
    const isNew = users.add(resource.id as string, { ...checked, item: userItem(record.resource) })
    if (!isNew) refuse('users', `the user ${resource.id} is already in the input`)
  }
  const sizes = sources.map(({ bytes }) => bytes ?? Number.NaN)
  const totalBytes = sizes.reduce((sum, bytes) => sum + bytes, 0)
  await phase('checking', Number.isNaN(totalBytes) ? undefined : totalBytes, async advance => {
    for await (const entries of readEntries(sources, advance, signal)) entries.forEach(take)
  })
  return providers
}

function leftOutOf(shape: object, given: unknown): Pick<CheckedRecord, 'leftOut'> {
  const leftOut = Object.keys(shape).filter(name => !isJsonObject(given) || !Object.hasOwn(given, name))
  return leftOut.length === 0 ? {} : { leftOut }
}
