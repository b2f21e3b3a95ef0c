import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { isJsonObject } from '../../../lib/domain/json.ts'
import { samlProviderShape, userShape } from '../../../lib/domain/resources.ts'
import { linksOf, providerItem, userItem } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { linkedProviders } from '../linked-providers.ts'
import type { Data } from '../open-data.ts'
import { type Entry, readEntries, type Source } from '../records/source.ts'
import { makeProvider, type PlannedProvider, planProviders, updateProvider } from './providers.ts'
import { ledger, leftIn, type Outcome, type Report, refused, type Tally } from './report.ts'
import { type CheckedRecord, openSpool, type Spool } from './spool.ts'
import type { Terms } from './terms.ts'
import { adoptUsers, userWriter } from './users.ts'

export interface ImportOptions {
  /** Write nothing unless every record can be written. */
  strict?: boolean | undefined
  /** Write nothing. */
  dryRun?: boolean | undefined
  /** Change users and providers in the table that differ from their records. */
  update?: boolean | undefined
  /** Tell each record as it was read. */
  keep?: boolean | undefined
}

export interface Imported {
  counts: Tally
  /** Whether records were written: not in a dry run, or when a strict import refuses one. */
  isWritten: boolean
}

type Note = ReturnType<typeof ledger>['note']

const chunksAtOnce = 8
const providersAtOnce = 8

/**
 * Imports records while the service runs.
 *
 * Each record is read and checked once; the checked users wait in a temporary file. A new provider is written after its
 * users and memberships, with its count: before, it can be neither used nor removed, so an import that stops anywhere
 * leaves a correct table. Users of an existing provider are written as other writers do it. Running the import again
 * continues it.
 *
 * @throws the signal's reason, when no call is running; Error of one sentence when the disk is full or loses users
 */
export async function importRecords(
  data: Data,
  sources: readonly Source[],
  { strict = false, dryRun = false, update = false, keep = false }: ImportOptions,
  report: Report,
  signal: AbortSignal,
): Promise<Imported> {
  using users = openSpool()
  const known = await allProviders(data.table, signal)
  const first = ledger(report.tell)
  const entries = await checkRecords(sources, users, keep, report, first.note, signal)
  const { planned, members } = await planProviders(data, entries, known, update, signal)
  const fresh = planned.filter(({ outcome }) => outcome.is === 'written').map(({ record }) => record)
  const terms = {
    ...{ data, update, signal, fresh },
    linkedTo: linkedProviders([...known, ...fresh]),
    members: new Map(fresh.map(({ resource: { id } }) => [id, members.get(id) ?? new Set<string>()])),
  }
  const isTrial = dryRun || strict
  await writeRecords({ ...terms, isTrial }, planned, users, report, first.note)
  if (!isTrial) return { counts: first.counts, isWritten: true }
  if (dryRun || leftIn(first.counts) > 0) return { counts: first.counts, isWritten: false }
  const { counts, note } = ledger(report.tell)
  await writeRecords({ ...terms, isTrial: false }, planned, users, report, note)
  return { counts, isWritten: true }
}

/**
 * Reads and checks each record once.
 *
 * @param users gets the users
 * @param isKept whether the records as they were read are needed later
 * @returns the providers
 */
async function checkRecords(
  sources: readonly Source[],
  users: Spool,
  isKept: boolean,
  { phase }: Report,
  note: Note,
  signal: AbortSignal,
): Promise<CheckedRecord[]> {
  const providers: CheckedRecord[] = []
  const take = ({ place, record, faults, given: read }: Entry) => {
    const given = isKept ? read : undefined
    const refuse = (kind: 'users' | 'unreadable', reason: string) =>
      note(kind, { place, outcome: refused(reason), given })
    if (record === undefined) return refuse('unreadable', faults.join('; '))
    const { kind, resource } = record
    const isNamed = (name: string) => isJsonObject(read) && Object.hasOwn(read, name)
    const leftOut = Object.keys(kind === 'user' ? userShape : samlProviderShape).filter(
      name => !isNamed(name),
    )
    if (kind === 'provider') return providers.push({ place, item: providerItem(resource, 0), leftOut, given })
    const isNew = users.add(resource.id, { place, item: userItem(resource), leftOut, given })
    if (!isNew) refuse('users', `the user ${resource.id} is already in the input`)
  }
  const bytes = sources.reduce((sum, one) => sum + (one.bytes ?? Number.NaN), 0)
  await phase('checking', Number.isNaN(bytes) ? undefined : bytes, async advance => {
    for await (const entries of readEntries(sources, advance, signal)) entries.forEach(take)
  })
  return providers
}

/** Writes the users, then the new providers, then the changed ones; or only reads, in a trial. */
async function writeRecords(
  terms: Terms,
  planned: readonly PlannedProvider[],
  users: Spool,
  { phase }: Report,
  note: Note,
): Promise<void> {
  const { fresh, linkedTo, isTrial } = terms
  if (!isTrial && fresh.length > 0)
    await phase('users in the table', undefined, advance => adoptUsers(terms, users.has, advance))
  const write = userWriter(terms)
  await phase('users', users.size(), advance =>
    forEachConcurrently(users.chunks(), chunksAtOnce, async records => {
      const outcomes = await write(records)
      for (const [index, { place, item, given }] of records.entries()) {
        const links = linksOf(item)
        const { int32, valid } = links.saml_provider_id
        const named = linkedTo(links).map(({ resource }) => resource.id)
        const outcome = outcomes[index] as Outcome
        note('users', { place, outcome, given }, new Set(valid ? [int32, ...named] : named))
      }
      advance(records.length)
    }),
  )
  // Now that all users are there: the chunks end in an error when one is missing.
  await phase('providers', planned.length, advance =>
    forEachConcurrently(planned, providersAtOnce, async provider => {
      const { place, given, outcome } = provider
      const write = { written: makeProvider, updated: updateProvider }[outcome.is as string]
      const done = isTrial || write === undefined ? outcome : await write(terms, provider)
      note('providers', { place, outcome: done, given })
      advance(1)
    }),
  )
}
