import { forEachConcurrently } from '../../../lib/concurrency.ts'
import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { providerRecordOf } from '../../../lib/store/items.ts'
import { storedProviders, type View, viewOf } from '../table/linked-providers.ts'
import { linkNames } from '../membership/change-users.ts'
import type { Data } from '../open-data.ts'
import type { Source } from '../records/source.ts'
import { type Checked, checkRecords, unknownState } from './check-records.ts'
import type { Terms } from './decide-user.ts'
import { leaversOf } from './leavers.ts'
import { type PlannedProvider, planProviders } from './plan-providers.ts'
import { ledger, type Note, type Outcome, type Report, type Tally } from './report.ts'
import { openSpool, type Spool } from './spool.ts'
import { adoptUsers, userWriter } from './users.ts'
import { writeProvider } from './write-provider.ts'

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
 * @throws the signal's reason, when no call is running; Error of one sentence when the disk is full, or a provider of
 *   `unlink` is not in the table
 */
export async function importRecords(
  data: Data,
  sources: readonly Source[],
  { dryRun: isTrial = false, update = false, unlink = [], records = false }: ImportOptions,
  { tell }: Report,
  signal: AbortSignal,
): Promise<Imported> {
  using users = openSpool()
  const stored = await storedProviders(data.table, signal)
  const known = stored.flatMap(item => providerRecordOf(item) ?? [])
  const stateless = stored
    .filter(item => providerRecordOf(item) === undefined)
    .flatMap(item => providerRecordOf({ ...item, state: 'active' })?.resource ?? [])
  const strange = unlink.find(id => known.every(({ resource }) => resource.id !== id))
  if (strange !== undefined)
    throw new Error(`There is no provider ${strange} in ${data.tableName}: check --unlink.`)

  const { counts, note } = ledger(tell)
  const closed = stateless.map(({ id }) => id)
  const checked = await checkRecords(data, sources, { users, isKept: records, closed }, note, signal)
  const { planned, members } = await planProviders(data, checked.providers, known, update, signal)
  const context = { data, update, isTrial, signal, known, stateless, members, checked }
  const settled: Settled = new Map()

  const expected = prospect(context, planned)
  if (update && !isTrial) {
    const trial = ledger(() => {})
    const terms = { ...expected.terms, isTrial: true }
    await writeUsers({ ...expected, terms }, users, settled, trial.note)
    const stopped = await leaversOf(data, trial.counts, known, unlink, signal)
    if (stopped.length > 0) return { counts: trial.counts, isTrial: true, stopped }
  }
  // Before their users, who may move to it from the other link. When one is not written, they stay.
  const gaining = planned.filter(({ getsSso }) => getsSso)
  const gained = await writeProviders(expected.terms, gaining, note)
  const others = planned.filter(({ getsSso }) => !getsSso)
  const work = prospect(context, [...gained, ...others])
  if (!isTrial && work.terms.fresh.length > 0) await adoptUsers(work.terms, users.has)
  await writeUsers(work, users, settled, note)
  // Now that all users are there: the chunks end in an error when one is missing.
  await writeProviders(work.terms, others, note)
  const stopped = isTrial ? await leaversOf(data, counts, known, unlink, signal) : []
  return { counts, isTrial, stopped }
}

interface Context extends Pick<Terms, 'data' | 'update' | 'signal' | 'isTrial' | 'members'> {
  /** The providers in the table. */
  known: readonly ProviderRecord[]
  /** Those whose state cannot be read. */
  stateless: readonly SamlProvider[]
  checked: Checked
}

interface Work {
  terms: Terms
  /** The providers as they will be. */
  view: View
}

/** The terms on which users are written, when the providers have these outcomes. */
function prospect(
  { known, stateless, members, checked, ...context }: Context,
  planned: readonly PlannedProvider[],
): Work {
  const recordsOf = (some: readonly PlannedProvider[]) => some.map(({ record }) => record)
  const fresh = recordsOf(planned.filter(({ outcome }) => outcome.is === 'written'))
  const refused = recordsOf(planned.filter(isRefused)).map(({ resource }) => resource)
  const barred = new Map<number, string>()
  for (const id of [...checked.unreadable, ...refused.map(({ id }) => id)]) barred.set(id, recordIsAbsent(id))
  for (const { id } of stateless) barred.set(id, unknownState(id))
  const read = [...refused, ...known.map(({ resource }) => resource), ...stateless]
  const held = read.filter(({ id }) => barred.has(id)).map(provider => ({ provider, by: linkNames }))
  // No user is linked by it yet, who would be stored without the link.
  const bySso = ['sso_provider_id'] as const
  const differing = recordsOf(planned.filter(differsInSso)).map(({ resource }) => resource)
  for (const { id } of differing) barred.set(id, recordIsAbsent(id))
  const gaining = recordsOf(planned.filter(one => one.getsSso && !isRefused(one)))
  const newById = new Map(gaining.map(record => [record.resource.id, record]))
  return {
    terms: {
      ...{ ...context, fresh, barred, doubtfulPlace: checked.doubtfulPlace },
      members: new Map(fresh.map(({ resource: { id } }) => [id, members.get(id) ?? new Set<string>()])),
      held: [...held, ...differing.map(provider => ({ provider, by: bySso }))],
    },
    view: viewOf([...known.map(one => newById.get(one.resource.id) ?? one), ...fresh]),
  }
}

const isRefused = ({ outcome }: PlannedProvider) => outcome.is === 'refused'
const differsInSso = ({ outcome }: PlannedProvider) =>
  outcome.is === 'differs' && outcome.fields.includes('sso_provider_id')
const recordIsAbsent = (id: number) => `the record of the provider ${id} is not in the table`

/** The outcomes of chunks of which a trial has found that there is nothing to write, by the place of the first record. */
type Settled = Map<string, Outcome[]>

/** Writes the users; or only reads, in a trial. */
async function writeUsers({ terms, view }: Work, users: Spool, settled: Settled, note: Note): Promise<void> {
  const write = userWriter(terms, view)
  await terms.data.phase('users', advance =>
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
  { data, isTrial, signal }: Terms,
  planned: readonly PlannedProvider[],
  note: Note,
): Promise<PlannedProvider[]> {
  const done: PlannedProvider[] = []
  await forEachConcurrently(planned, providersAtOnce, async provider => {
    const outcome = isTrial ? provider.outcome : await writeProvider(data, provider, signal)
    note('providers', { place: provider.place, id: provider.item.id, outcome, text: provider.text })
    done.push({ ...provider, outcome })
  })
  return done
}
