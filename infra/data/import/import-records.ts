import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import { providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Data } from '../open-data.ts'
import { openInput } from '../records/input.ts'
import type { Source } from '../records/source.ts'
import { placeOf } from '../table/conditions.ts'
import { storedProviders, viewOf } from '../table/linked-providers.ts'
import { compareProviders, isImported, type PlannedProvider } from './compare-providers.ts'
import { compareUsers } from './compare-users.ts'
import { openProviders } from './open-providers.ts'
import { tellProviderFaults } from './provider-faults.ts'
import { readRecords } from './read-records.ts'
import { type Report, reportTo, type Tell } from './report.ts'
import { tellLeavers, tellLostLinks } from './tell-losses.ts'
import type { Terms } from './terms.ts'
import { writeProviders } from './write-providers.ts'
import { writeUsers } from './write-users.ts'

export interface ImportOptions {
  /** Write nothing. */
  dryRun?: boolean | undefined
  /** Change users and providers in the table that differ from their records. */
  update?: boolean | undefined
  /** The ids of providers to which users may lose their link. */
  unlink?: readonly number[] | undefined
}

export interface Imported {
  report: Report
  /** Whether the records were written: none of them has a fault, and it is no dry run. */
  isWritten: boolean
  /** The providers of the input. */
  planned: readonly PlannedProvider[]
  /** The providers in the table at the end. */
  providers: readonly ProviderRecord[]
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
  const report = reportTo(tell, { update, dryRun })
  const terms: Terms = { data, update, dryRun, unlink, report, signal }

  const { providers: records, mentioned, users } = await readRecords(terms, input)
  const items = await knownProviders(terms)
  const known = items.flatMap(item => providerRecordOf(item) ?? [])
  const planned = await compareProviders(terms, records, items)
  const afterwards = [
    ...new Map(
      [...known, ...planned.map(({ after }) => after)].map(provider => [provider.resource.id, provider]),
    ).values(),
  ]
  const view = viewOf(afterwards)
  const compared = await compareUsers(terms, input, users, view)
  const there = new Set<unknown>([...mentioned, ...known.map(({ resource }) => resource.id)])
  await tellLostLinks(terms, compared, id => there.has(id))
  await tellLeavers(terms, compared, known, mentioned)
  await tellProviderFaults(terms, planned, afterwards)

  const isWritten = report.faults === 0 && !dryRun
  if (isWritten) {
    await writeProviders(terms, planned)
    const incomplete = await writeUsers(terms, input, compared.changing, view)
    const complete = planned.filter(plan => isImported(plan) && !incomplete.has(plan.after.resource.id))
    await openProviders(
      terms,
      complete.map(({ after }) => after.resource),
    )
  }
  const providers = await allProviders(data.table, signal)
  return { report, isWritten, planned, providers, unknown: input.unknown }
}

/** Reads the providers of the table, and tells those in no known state. */
async function knownProviders({ data, report, signal }: Terms) {
  const stored = await storedProviders(data.table, signal)
  return stored.filter(item => {
    const isKnown = providerRecordOf(item) !== undefined
    const id = providerIdOf(item)
    if (!isKnown)
      report.fault({ place: placeOf(item), id }, `the state of the provider ${id} is unknown: see verify`)
    return isKnown
  })
}
