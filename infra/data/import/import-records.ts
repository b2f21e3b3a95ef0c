import { forEachConcurrently } from '../../../lib/concurrency.ts'
import type { User } from '../../../lib/domain/resources.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Data } from '../open-data.ts'
import type { Source } from '../records/source.ts'
import { directory } from './directory.ts'
import { forEachStreamed } from './for-each-streamed.ts'
import { adoptUsers, makeProvider, withTraces } from './providers.ts'
import { type Counts, type Kind, ledger, type Outcome, type Report } from './report.ts'
import { freshProviders, survey } from './survey.ts'
import { type UserRecord, userChunks } from './user-chunks.ts'
import { linkUsers, type Terms, writeUsers } from './users.ts'

export interface ImportOptions {
  /** Write nothing unless every record may go in. */
  strict: boolean
  /** Write nothing. */
  dryRun: boolean
}

const chunksAtOnce = 8

/**
 * Brings records into the table beside a live service.
 *
 * A provider that is new is written last, with a true count: until then nobody signs in through it or removes it, so
 * that an import that ends anywhere leaves a table on which every removal is right. Users of a provider that is there
 * are linked one by one, as any other writer links them. Doing it all again goes on where it ended.
 *
 * @throws the signal's reason, when nothing of it runs any more
 */
export async function importRecords(
  data: Data,
  sources: readonly Source[],
  { strict, dryRun }: ImportOptions,
  report: Report,
  signal: AbortSignal,
): Promise<Record<Kind, Counts>> {
  const { counts, note } = ledger(report)
  const phase = phases(sources, report, signal)
  const known = await allProviders(data.table, signal)
  const { providers, bad } = await phase('checking', advance => survey(sources, report.seenOf, note, advance))
  const traces = await withTraces(data, providers, signal)
  const fresh = freshProviders(providers, known, traces, note)
  const book = directory(
    known,
    fresh.map(({ provider }) => provider),
  )
  const terms: Terms = { data, directory: book, dryRun, signal }

  const isWelcome = ({ place, user }: UserRecord) => {
    const fault = book.faultOf(user)
    if (fault !== undefined) note('users', place, { fault })
    return fault === undefined
  }
  /** Sends the users that are meant through `write`, and notes what becomes of each. */
  const send = (
    label: string,
    isMeant: (record: UserRecord) => boolean,
    write: (users: User[]) => Promise<Outcome[]>,
  ) =>
    phase(label, advance =>
      forEachStreamed(userChunks(sources, bad, isMeant, advance), chunksAtOnce, async chunk => {
        const outcomes = await write(chunk.map(({ user }) => user))
        for (const [index, { place }] of chunk.entries()) note('users', place, outcomes[index] as Outcome)
      }),
    )

  if (strict) {
    await send(
      'checking links',
      record => isWelcome(record) && false,
      async () => [],
    )
    if (Object.values(counts).some(({ refused }) => refused > 0)) return counts
  }
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
  return counts
}

/** Each phase reads all sources once, and ends with the signal. */
const phases =
  (sources: readonly Source[], report: Report, signal: AbortSignal) =>
  async <T>(label: string, work: (advance: (bytes: number) => void) => Promise<T>): Promise<T> => {
    const total = sources.reduce((sum, { bytes }) => sum + bytes, 0)
    const progress = report.phase(label, total)
    try {
      return await work(bytes => {
        signal.throwIfAborted()
        progress.advance(bytes)
      })
    } finally {
      progress.end()
    }
  }
