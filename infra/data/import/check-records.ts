import { isJsonObject } from '../../../lib/domain/json.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'
import { providerItem, userItem } from '../../../lib/store/items.ts'
import { parseProviderId } from '../../../lib/domain/provider.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { isLikeUser } from '../records/record.ts'
import type { Data } from '../open-data.ts'
import { type Entry, readEntries, type Source } from '../records/source.ts'
import { type Note, refused } from './report.ts'
import type { CheckedRecord, Spool } from './spool.ts'

/** The providers of the input, and what cannot be read of it. */
export interface Checked {
  providers: CheckedRecord[]
  /** The ids of providers whose record cannot be read. */
  unreadable: Set<number>
  /** The place of the first line that cannot be read and may be the record of any provider. */
  doubtfulPlace: string | undefined
}

/**
 * Reads and checks each record once.
 *
 * @param to `users`: gets the users; `isKept`: whether the lines as they were read are needed later; `closed`: the ids of
 *   providers whose state is unknown
 */
export async function checkRecords(
  { phase }: Data,
  sources: readonly Source[],
  { users, isKept, closed }: { users: Spool; isKept: boolean; closed: readonly number[] },
  note: Note,
  signal: AbortSignal,
): Promise<Checked> {
  const checked: Checked = { providers: [], unreadable: new Set(), doubtfulPlace: undefined }
  const take = ({ place, text: line, record, faults, given: read }: Entry) => {
    const text = isKept ? line : undefined
    const refuse = (kind: 'providers' | 'users' | 'unreadable', reason: string) =>
      note(kind, { place, id: idIn(read), outcome: refused(reason), text })
    if (record === undefined) {
      const providerId = providerIdIn(read)
      if (providerId !== undefined) checked.unreadable.add(providerId)
      else if (!isLikeUser(read)) checked.doubtfulPlace ??= place
      return refuse('unreadable', faults.join('; '))
    }
    const { kind, resource } = record
    if (kind === 'provider' && closed.includes(resource.id))
      return refuse('providers', `${unknownState(resource.id)}: see verify`)
    const isNamed = (name: string) => isJsonObject(read) && Object.hasOwn(read, name)
    const shape = kind === 'user' ? userShape : samlProviderShape
    const leftOut = Object.keys(shape).filter(name => !isNamed(name))
    if (kind === 'provider')
      return checked.providers.push({ place, item: providerItem(resource, 0), leftOut, text })
    const isNew = users.add(resource.id, { place, item: userItem(resource), leftOut, text })
    if (!isNew) refuse('users', `the user ${resource.id} is already in the input`)
  }
  await phase('checking', async advance => {
    for await (const entries of readEntries(sources, signal)) {
      entries.forEach(take)
      advance(entries.length)
    }
  })
  return checked
}

export const unknownState = (providerId: number) =>
  `the state of the provider ${providerId} in the table is unknown`

/** The id of a provider in a value that is no record. The id of a user is no number. */
const providerIdIn = (value: unknown) =>
  isJsonObject(value) && typeof value.id === 'number' ? parseProviderId(String(value.id)) : undefined

/** The id in a value that is no record. Another text may be a person's address, and stays out of logs. */
function idIn(value: unknown): unknown {
  if (!isJsonObject(value)) return undefined
  const { id } = value
  return typeof id === 'number' || isUserId(String(id).toLowerCase()) ? id : undefined
}
