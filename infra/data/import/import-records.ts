import { forEachConcurrently } from '../../../lib/concurrency.ts'
import type { User } from '../../../lib/domain/resources.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Advance } from '../display.ts'
import type { Data } from '../open-data.ts'
import type { Source } from '../records/source.ts'
import { directory } from './directory.ts'
import { adoptUsers, makeProvider, withTraces } from './providers.ts'
import { type Counts, type Kind, ledger, type Note, type Outcome, refusedIn, type Report } from './report.ts'
import { freshProviders, type ProviderEntry, survey } from './survey.ts'
import { type UserRecord, userChunks } from './user-chunks.ts'
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
 * A new provider is written after its users and memberships, with its count: before, it can be neither used nor removed, so
 * an import that stops anywhere leaves a correct table. Users of an existing provider are linked one by one, as any other
 * writer links them. Running the import again continues it.
 *
 * @throws the signal's reason, when no call is running; Error of one sentence when a file changes while it is read
 */
export async function importRecords(
  data: Data,
  sources: readonly Source[],
  { strict, dryRun }: ImportOptions,
  report: Report,
  signal: AbortSignal,
): Promise<Imported> {
  const phase = phases(sources, report, signal)
  const known = await allProviders(data.table, signal)
  const first = ledger(report)
  const surveyed = await phase('checking', advance => survey(sources, report.seenOf, first.note, advance))
  const { providers } = surveyed
  const knownById = new Map(known.map(record => [record.resource.id, record]))
  const unknown = providers.filter(({ provider }) => !knownById.has(provider.id))
  const traces = await withTraces(data, unknown, signal)

  const pass = async (isTrial: boolean, note: Note) => {
    const fresh = freshProviders(providers, knownById, traces, note)
    const book = directory(
      known,
      fresh.map(({ provider }) => provider),
    )
    const terms: Terms = { data, directory: book, dryRun: isTrial, signal }
    await writeRecords(terms, fresh, phase, note, (isMeant, advance) =>
      userChunks(surveyed, isMeant, advance),
    )
  }

  const isTrial = dryRun || strict
  await pass(isTrial, first.note)
  if (!isTrial) return { counts: first.counts, isWritten: true }
  if (dryRun || refusedIn(first.counts) > 0) return { counts: first.counts, isWritten: false }
  const second = ledger(report)
  await pass(false, second.note)
  return { counts: second.counts, isWritten: true }
}

/**
 * Writes the users, then the new providers, then the links to existing providers; or only reads, in a dry run.
 *
 * @param usersWho reads the selected users of the input, in chunks
 */
async function writeRecords(
  terms: Terms,
  fresh: readonly ProviderEntry[],
  phase: Phase,
  note: Note,
  usersWho: (isMeant: IsMeant, advance: Advance) => AsyncGenerator<UserRecord[]>,
): Promise<void> {
  const { directory: book, dryRun } = terms
  const isWelcome = ({ place, user }: UserRecord) => {
    const fault = book.faultOf(user)
    if (fault !== undefined) note('users', place, { fault })
    return fault === undefined
  }
  /** Writes the selected users, and records the outcome of each. */
  const send = (label: string, isMeant: IsMeant, write: (users: User[]) => Promise<Outcome[]>) =>
    phase(label, advance =>
      forEachConcurrently(usersWho(isMeant, advance), chunksAtOnce, async records => {
        const outcomes = await write(records.map(({ user }) => user))
        for (const [index, { place }] of records.entries()) note('users', place, outcomes[index] as Outcome)
      }),
    )

  if (!dryRun && fresh.length > 0) await adoptUsers(terms)
  let ofKnown = 0
  await send(
    'users',
    record => {
      if (!isWelcome(record)) return false
      const isLater = book.isOfKnown(record.user)
      if (isLater) ofKnown += 1
      return !isLater
    },
    users => writeUsers(terms, users, fresh.length > 0),
  )
  await forEachConcurrently(fresh, chunksAtOnce, async ({ place, provider }) =>
    note('providers', place, dryRun ? 'written' : await makeProvider(terms, provider)),
  )
  if (ofKnown > 0)
    await send(
      'links',
      ({ user }) => book.faultOf(user) === undefined && book.isOfKnown(user),
      users => linkUsers(terms, users),
    )
}

type IsMeant = (record: UserRecord) => boolean
type Phase = <T>(label: string, work: (advance: Advance) => Promise<T>) => Promise<T>

/** Reads all sources once per phase, until the signal aborts. */
const phases =
  (sources: readonly Source[], report: Report, signal: AbortSignal): Phase =>
  (label, work) => {
    const totalBytes = sources.reduce((sum, { bytes }) => sum + bytes, 0)
    return report.phase(label, totalBytes, advance =>
      work(bytes => {
        signal.throwIfAborted()
        advance(bytes)
      }),
    )
  }
