import { forEachConcurrently } from '../../../lib/concurrency.ts'
import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import type { Data } from '../open-data.ts'
import type { Source } from '../records/source.ts'
import { checkRecords } from './check-records.ts'
import { knownProviders } from './known-providers.ts'
import { leaversOf } from './leavers.ts'
import { makeProvider, type PlannedProvider, planProviders, updateProvider } from './providers.ts'
import { ledger, type Outcome, type Report, type Tally } from './report.ts'
import { openSpool, type Spool } from './spool.ts'
import { type Memberships, recordAbsent, type Terms, unknownState } from './terms.ts'
import { adoptUsers, userWriter } from './users.ts'

export interface ImportOptions {
  /** Write nothing. */
  dryRun?: boolean | undefined
  /** Change users and providers in the table that differ from their records. */
  update?: boolean | undefined
  /** The ids of providers that may lose many of their users by an update. */
  unlink?: readonly number[] | undefined
  /** Tell each record as it was read, too. */
  records?: boolean | undefined
}

export interface Imported {
  /** What was done, or would be. */
  counts: Tally
  /** Whether nothing was written. */
  isTrial: boolean
  /** Why an update ended before it wrote, each a sentence. */
  stopped: string[]
}

const chunksAtOnce = 8
const providersAtOnce = 8

/**
 * Imports records while the service runs.
 *
 * Each record is read and checked once; the checked users wait in a temporary file. A new provider is written after its
 * users and memberships, with its count: before, it can be neither used nor removed, so an import that stops anywhere
 * leaves a correct table. Users of an existing provider are written as other writers do it, and after its first
 * `sso_provider_id`, by which they may be linked. Running the import again continues it. An update first finds what it
 * would do, and writes nothing when too many users would leave a provider.
 *
 * @throws the signal's reason, when no call is running; Error of one sentence when the disk is full or loses users, or a
 *   provider of `unlink` is not in the table
 */
export async function importRecords(
  data: Data,
  sources: readonly Source[],
  { dryRun = false, update = false, unlink = [], records = false }: ImportOptions,
  report: Report,
  signal: AbortSignal,
): Promise<Imported> {
  using users = openSpool()
  const { known, stateless } = await knownProviders(data.table, signal)
  const strange = unlink.find(id => known.every(({ resource }) => resource.id !== id))
  if (strange !== undefined)
    throw new Error(`There is no provider ${strange} in ${data.tableName}: check --unlink.`)
  const first = ledger(report.tell)
  const { providers, unreadable, doubtfulPlace } = await checkRecords(
    sources,
    { users, isKept: records, closed: stateless.map(({ id }) => id) },
    report,
    first.note,
    signal,
  )
  const { planned, members } = await planProviders(
    { data, known, update, phase: report.phase, signal },
    providers,
  )
  const context = {
    ...{ data, update, signal, isTrial: dryRun },
    ...{ known, stateless, members, unreadable, doubtfulPlace },
  }
  const work = { users, report, settled: new Map<string, Outcome[]>() }

  const expected = prospect(context, planned)
  if (update && !dryRun) {
    const trial = ledger(() => {})
    const terms = { ...expected.terms, isTrial: true }
    await writeUsers({ ...work, ...expected, terms }, trial.note)
    const stopped = await leaversOf(data, trial.counts, known, unlink, signal)
    if (stopped.length > 0) return { counts: trial.counts, isTrial: true, stopped }
  }
  // Before their users, who may move to it from the other link. When one is not written, they stay.
  const gaining = planned.filter(({ getsSso }) => getsSso)
  const gained = await writeProviders(expected.terms, gaining, report, first.note)
  const others = planned.filter(({ getsSso }) => !getsSso)
  const { terms, willBe } = prospect(context, [...gained, ...others])
  if (!dryRun && terms.fresh.length > 0)
    await report.phase('users in the table', advance => adoptUsers(terms, users.has, advance))
  await writeUsers({ ...work, terms, willBe }, first.note)
  // Now that all users are there: the chunks end in an error when one is missing.
  await writeProviders(terms, others, report, first.note)
  const stopped = dryRun ? await leaversOf(data, first.counts, known, unlink, signal) : []
  return { counts: first.counts, isTrial: dryRun, stopped }
}

interface Context extends Pick<Terms, 'data' | 'update' | 'signal' | 'isTrial' | 'doubtfulPlace'> {
  /** The providers in the table. */
  known: readonly ProviderRecord[]
  /** Those whose state cannot be read. */
  stateless: readonly SamlProvider[]
  /** The ids of the users who have a membership of a provider that is not in the table. */
  members: Memberships
  unreadable: ReadonlySet<number>
}

/** The terms on which users are written, and the providers as they will be, when the providers have these outcomes. */
function prospect(
  { known, stateless, members, unreadable, ...context }: Context,
  planned: readonly PlannedProvider[],
) {
  // Where users may be linked by its sso_provider_id.
  const isOther = ({ outcome }: PlannedProvider) =>
    outcome.is === 'differs' && outcome.fields.includes('sso_provider_id')
  const isRefused = ({ outcome }: PlannedProvider) => outcome.is === 'refused'
  const recordsOf = (some: readonly PlannedProvider[]) => some.map(({ record }) => record)
  const fresh = recordsOf(planned.filter(({ outcome }) => outcome.is === 'written'))
  const absent = recordsOf(planned.filter(one => isRefused(one) || isOther(one))).map(
    ({ resource }) => resource,
  )
  const barred = new Map([
    ...[...unreadable, ...absent.map(({ id }) => id)].map(id => [id, recordAbsent(id)] as const),
    ...stateless.map(({ id }) => [id, unknownState(id)] as const),
  ])
  const read = [...absent, ...known.map(({ resource }) => resource), ...stateless]
  const terms: Terms = {
    ...{ ...context, fresh, barred },
    members: new Map(fresh.map(({ resource: { id } }) => [id, members.get(id) ?? new Set<string>()])),
    held: read.filter(({ id }) => barred.has(id)),
  }
  const gaining = recordsOf(planned.filter(one => one.getsSso && !isRefused(one)))
  const newById = new Map(gaining.map(record => [record.resource.id, record]))
  return { terms, willBe: [...known.map(one => newById.get(one.resource.id) ?? one), ...fresh] }
}

type Note = ReturnType<typeof ledger>['note']

interface Work {
  terms: Terms
  /** The providers as they will be. */
  willBe: readonly ProviderRecord[]
  users: Spool
  report: Report
  /** The outcomes of chunks of which a trial has found that there is nothing to write, by the place of the first record. */
  settled: Map<string, Outcome[]>
}

/** Writes the users; or only reads, in a trial. */
async function writeUsers({ terms, willBe, users, report, settled }: Work, note: Note): Promise<void> {
  const write = userWriter(terms, willBe)
  await report.phase('users', advance =>
    forEachConcurrently(users.chunks(), chunksAtOnce, async records => {
      const key = records[0]?.place ?? ''
      const outcomes = settled.get(key) ?? (await write(records))
      for (const [n, { place, item, text }] of records.entries())
        note('users', { place, id: item.id, outcome: outcomes[n] as Outcome, text })
      const isDone = outcomes.every(({ is }) => is !== 'written' && is !== 'updated')
      if (isDone && terms.fresh.length === 0) settled.set(key, outcomes)
      advance(records.length)
    }),
  )
}

/** Writes the providers; or only tells of them, in a trial. @returns them with their outcomes */
async function writeProviders(
  terms: Terms,
  planned: readonly PlannedProvider[],
  { phase }: Report,
  note: Note,
): Promise<PlannedProvider[]> {
  const done: PlannedProvider[] = []
  await phase('providers', advance =>
    forEachConcurrently(planned, providersAtOnce, async provider => {
      const { place, item, text, outcome: plan } = provider
      const write = { written: makeProvider, updated: updateProvider }[plan.is as string]
      const outcome = terms.isTrial || write === undefined ? plan : await write(terms, provider)
      note('providers', { place, id: item.id, outcome, text })
      done.push({ ...provider, outcome })
      advance(1)
    }),
  )
  return done
}
