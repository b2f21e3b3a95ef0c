import { forEachConcurrently } from '../../../lib/concurrency.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Data } from '../open-data.ts'
import type { Source } from '../records/source.ts'
import { checkRecords, type ProviderEntry } from './check.ts'
import { freshProviders } from './new-providers.ts'
import { adoptUsers, idsWithTraces, makeProvider } from './providers.ts'
import { type Counts, type Kind, ledger, type Note, type Outcome, refusedIn, type Report } from './report.ts'
import { openSpool, type Spool, type UserEntry } from './spool.ts'
import { linkTargets } from './targets.ts'
import { linkUsers, type Terms, writeUsers } from './users.ts'

export interface ImportOptions {
  /** Write nothing unless every record can be written. */
  strict: boolean
  /** Write nothing. */
  dryRun: boolean
}

export interface Imported {
  /** The number of records per outcome. */
  counts: Record<Kind, Counts>
  /** Whether records were written: not in a dry run, or when a strict import refuses one. */
  isWritten: boolean
}

const chunksAtOnce = 8

/**
 * Imports records while the service runs.
 *
 * Each record is read and checked once; the checked users wait in a temporary file. A new provider is written after its
 * users and memberships, with its count: before, it can be neither used nor removed, so an import that stops anywhere
 * leaves a correct table. Users of an existing provider are linked one by one, as any other writer links them. Running
 * the import again continues it.
 *
 * @throws the signal's reason, when no call is running; Error of one sentence when the disk is full or loses users
 */
export async function importRecords(
  data: Data,
  sources: readonly Source[],
  { strict, dryRun }: ImportOptions,
  report: Report,
  signal: AbortSignal,
): Promise<Imported> {
  using users = openSpool()
  const known = await allProviders(data.table, signal)
  const first = ledger(report)
  const providers = await checkRecords(sources, users, report, first.note, signal)
  const knownById = new Map(known.map(record => [record.resource.id, record]))
  const unknown = providers.filter(({ provider }) => !knownById.has(provider.id))
  const traces = await idsWithTraces(data, unknown, signal)

  const pass = async (isTrial: boolean, note: Note) => {
    const fresh = freshProviders(providers, knownById, traces, note)
    const made = fresh.map(({ provider }) => provider)
    const terms = { data, targets: linkTargets(known, made), dryRun: isTrial, signal }
    await writeRecords(terms, fresh, users, report, note)
  }

  const isTrial = dryRun || strict
  await pass(isTrial, first.note)
  if (!isTrial) return { counts: first.counts, isWritten: true }
  if (dryRun || refusedIn(first.counts) > 0) return { counts: first.counts, isWritten: false }
  const second = ledger(report)
  await pass(false, second.note)
  return { counts: second.counts, isWritten: true }
}

/** Writes the users, then the new providers, then the links to existing providers; or only reads, in a dry run. */
async function writeRecords(
  terms: Terms,
  fresh: readonly ProviderEntry[],
  users: Spool,
  { phase }: Report,
  note: Note,
): Promise<void> {
  const { targets, dryRun, signal } = terms
  let settled = 0
  let later = 0
  const settle = (place: string, outcome: Outcome) => {
    settled += 1
    note('users', place, outcome)
  }
  /** Writes the selected users, and records the outcome of each. */
  const send = (label: string, isMeant: IsMeant, write: (items: Item[]) => Promise<Outcome[]>) =>
    phase(label, users.size(), advance => {
      const count = (by: number) => {
        signal.throwIfAborted()
        advance(by)
      }
      return forEachConcurrently(users.chunks(isMeant, count), chunksAtOnce, async entries => {
        const outcomes = await write(entries.map(({ item }) => item))
        for (const [index, { place }] of entries.entries()) settle(place, outcomes[index] as Outcome)
      })
    })

  if (!dryRun && fresh.length > 0) await adoptUsers(terms)
  await send(
    'users',
    ({ place, item }) => {
      const links = linksOf(item)
      const fault = targets.faultOf(links)
      if (fault !== undefined) settle(place, { fault })
      const isLater = fault === undefined && targets.isOfKnown(links)
      if (isLater) later += 1
      return fault === undefined && !isLater
    },
    items => writeUsers(terms, items, fresh.length > 0),
  )
  // A provider without all its users must not be used.
  if (settled + later !== users.size())
    throw new Error(
      `${users.size()} users were checked, and ${settled + later} of them read again: run the same command again.`,
    )
  await forEachConcurrently(fresh, chunksAtOnce, async ({ place, provider }) =>
    note('providers', place, dryRun ? 'written' : await makeProvider(terms, provider)),
  )
  if (later > 0)
    await send(
      'links',
      ({ item }) => targets.faultOf(linksOf(item)) === undefined && targets.isOfKnown(linksOf(item)),
      items => linkUsers(terms, items),
    )
}

type IsMeant = (user: UserEntry) => boolean
