import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { linksOf } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Data } from '../open-data.ts'
import type { Source } from '../records/source.ts'
import { checkRecords } from './check.ts'
import { type PlannedProvider, planProviders } from './plan-providers.ts'
import { adoptUsers, idsWithTraces, makeProvider } from './providers.ts'
import { type Ledger, ledger, leftIn, type Outcome, type Report, type Tally } from './report.ts'
import { openSpool, type Spool } from './spool.ts'
import { linkTargets } from './targets.ts'
import type { Terms } from './terms.ts'
import { updateProvider } from './update.ts'
import { userWriter } from './users.ts'

export interface ImportOptions {
  /** Write nothing unless every record can be written. */
  strict?: boolean
  /** Write nothing. */
  dryRun?: boolean
  /** Change users and providers in the table that differ from their records. */
  update?: boolean
  /** Tell each record as it was read. */
  keep?: boolean
}

export interface Imported {
  counts: Tally
  /** Whether records were written: not in a dry run, or when a strict import refuses one. */
  isWritten: boolean
}

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
  const providers = await checkRecords(sources, users, keep, report, first, signal)
  const knownById = new Map(known.map(record => [record.resource.id, record]))
  const unknown = providers.filter(({ provider }) => !knownById.has(provider.id))
  const traces = await idsWithTraces(data, unknown, signal)
  const planned = planProviders(providers, knownById, traces, update)
  const fresh = planned.filter(({ outcome }) => outcome.is === 'written').map(({ entry }) => entry.provider)
  const targets = linkTargets(known, fresh)

  const pass = (isTrial: boolean, counted: Ledger) =>
    writeRecords({ data, targets, isTrial, update, signal }, planned, users, report, counted)
  const isTrial = dryRun || strict
  await pass(isTrial, first)
  if (!isTrial) return { counts: first.tally, isWritten: true }
  if (dryRun || leftIn(first.tally) > 0) return { counts: first.tally, isWritten: false }
  const second = ledger(report.tell)
  second.tally.providers.read = providers.length
  second.tally.users.read = users.size()
  await pass(false, second)
  return { counts: second.tally, isWritten: true }
}

/** Writes the users, then the new providers, then the changed ones; or only reads, in a trial. */
async function writeRecords(
  terms: Terms,
  planned: readonly PlannedProvider[],
  users: Spool,
  { phase }: Report,
  { usersOf, note }: Ledger,
): Promise<void> {
  const { targets, isTrial, signal } = terms
  for (const { links, users: number } of users.links())
    for (const id of targets.namedBy(links)) usersOf(id).read += number
  let settled = 0
  if (!isTrial && targets.fresh.length > 0)
    await phase('users in the table', undefined, advance => adoptUsers(terms, id => users.has(id), advance))
  const write = userWriter(terms)
  await phase('users', users.size(), advance => {
    const count = (by: number) => {
      signal.throwIfAborted()
      advance(by)
    }
    return forEachConcurrently(users.chunks(count), chunksAtOnce, async records => {
      const outcomes = await write(records)
      for (const [index, { place, item, given }] of records.entries()) {
        settled += 1
        const outcome = outcomes[index] as Outcome
        note('users', { place, outcome, given }, targets.namedBy(linksOf(item)))
      }
    })
  })
  // A provider without all its users must not be used.
  if (settled !== users.size())
    throw new Error(
      `${users.size()} users were checked, and ${settled} of them read again: run the same command again.`,
    )
  await phase('providers', planned.length, advance =>
    forEachConcurrently(planned, providersAtOnce, async ({ entry, outcome }) => {
      const write = { written: makeProvider, updated: updateProvider }[outcome.is as string]
      const done = isTrial || write === undefined ? outcome : await write(terms, entry)
      note('providers', { place: entry.place, given: entry.given, outcome: done })
      advance(1)
    }),
  )
}
