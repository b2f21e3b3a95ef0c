import { providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'
import { openInput } from '../records/input.ts'
import type { Source } from '../records/source.ts'
import { placeOf } from '../table/conditions.ts'
import { storedProviders, viewOf } from '../table/linked-providers.ts'
import { compareProviders } from './compare-providers.ts'
import { compareUsers, guardMembers } from './compare-users.ts'
import { readRecords } from './read-records.ts'
import { type Tally, type Tell, tally, type Terms } from './report.ts'
import { writeRecords } from './write.ts'

export interface ImportOptions {
  /** Write nothing. */
  dryRun?: boolean | undefined
  /** Change users and providers in the table that differ from their records. */
  update?: boolean | undefined
  /** The ids of providers to which users may lose their link. */
  unlink?: readonly number[] | undefined
}

export interface Imported {
  /** What was done, or would be. */
  tally: Tally
  /** The number of faults; if there are any, nothing was written. */
  faults: number
  /** Fields that no provider or user has. */
  unknown: ReadonlySet<string>
}

/**
 * Imports records while the service runs: reads and compares all of them, and writes if nothing is wrong. An import that stops
 * anywhere leaves a correct table, and running it again continues it.
 *
 * @param tell gets each fault, and each record that differs or, in a dry run, would be updated
 * @throws the signal's reason, when no call is running; Error of one sentence when the disk is full, or a provider cannot be
 *   created
 */
export async function importRecords(
  data: Data,
  sources: readonly Source[],
  { dryRun = false, update = false, unlink = [] }: ImportOptions,
  tell: Tell,
  signal: AbortSignal,
): Promise<Imported> {
  using input = await openInput(sources, signal)
  let faults = 0
  const tellFault: Tell = told => {
    faults += 1
    tell(told)
  }
  // What an update changes is told by a dry run only.
  const tellDifference: Tell = update && !dryRun ? () => {} : tell
  const terms: Terms = { data, update, unlink, tell: tellDifference, tellFault, tally: tally(), signal }

  const { providers: records, mentioned } = await readRecords(data, input, tellFault)
  const known = await knownProviders(terms)
  const providers = await compareProviders(terms, records, known)
  const created = providers.filter(({ found }) => found === undefined).map(({ record }) => record)
  const ids = new Set<unknown>([...mentioned, ...known.map(({ resource }) => resource.id)])
  const changing = await compareUsers(terms, input, viewOf([...known, ...created]), id => ids.has(id))
  await guardMembers(terms, known)

  if (faults === 0 && !dryRun) {
    terms.tally.beginWriting()
    await writeRecords({ ...terms, tell }, input, providers, changing)
  }
  return { tally: terms.tally, faults, unknown: input.unknown }
}

/** Reads the providers of the table, and tells those in no known state. */
async function knownProviders({ data, tellFault, signal }: Terms) {
  const stored = await storedProviders(data.table, signal)
  return stored.flatMap(item => {
    const record = providerRecordOf(item)
    if (record !== undefined) return record
    const id = providerIdOf(item)
    tellFault({ place: placeOf(item), id, reason: `the state of the provider ${id} is unknown: see verify` })
    return []
  })
}
