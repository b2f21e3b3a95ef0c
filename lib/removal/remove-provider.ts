import { Failure, type FailureCode } from '../domain/failure.ts'
import { isKnown, isPastRetention, type ProviderRecord, type Removal } from '../domain/provider.ts'
import type { User } from '../domain/resources.ts'
import { leftMs, throwIfOver } from '../time.ts'
import { type Affected, affectedUsers, type List, listedTotalOf, listPages, readList } from './list.ts'
import type { RemovalContext, RemovalPorts } from './ports.ts'
import { type Progress, unlinkMembers } from './unlink-members.ts'

/** What must be left before the first attempt to begin: then a removal also advances where a call takes up to 10 ms. */
const beginMs = 50

/**
 * Begins the removal of a provider, continues an unfinished one, or repeats the answer of a finished one. The order of its
 * steps makes the answer complete and repeatable after any crash; see lib/README.md, "Removal".
 *
 * @returns the affected users as stored now
 * @throws Failure `provider_not_found`; `wait_expired` when less than 50 ms are left before the first write;
 *   `removal_unfinished` with the progress when it aborts later, or when another writer changed the removal
 */
export async function removeProvider(
  ports: RemovalPorts,
  found: ProviderRecord,
  context: RemovalContext,
): Promise<Affected> {
  const { signal } = context
  if (found.state === 'removed') return affectedUsers(ports, await replay(ports, found, context), signal)
  // Until here nothing was changed, so an expired wait is `wait_expired`.
  if (found.state === 'active') assertTimeToBegin(signal)
  const progress: Progress = { knownTotal: found.memberCount ?? 0 }
  try {
    const list =
      (await runRemoval(ports, found, context, progress)) ??
      (await replay(ports, await getProvider(ports, found.resource.id, signal), context))
    const { total, pages } = affectedUsers(ports, list, signal)
    return { total, pages: withProgress(pages, progress) }
  } catch (error) {
    throw interrupted(error, progress)
  }
}

/** @throws the signal's reason; Failure `wait_expired` */
function assertTimeToBegin(signal: AbortSignal) {
  throwIfOver(signal)
  if (leftMs(signal) < beginMs) throw new Failure('wait_expired')
}

async function* withProgress(pages: AsyncIterable<User[]>, progress: Progress) {
  try {
    yield* pages
  } catch (error) {
    throw interrupted(error, progress)
  }
}

/** The code that a client gets, with the progress, for each failure that interrupts a removal; others stay as they are. */
const toldAs: Partial<Record<FailureCode, FailureCode>> = {
  wait_expired: 'removal_unfinished',
  removal_unfinished: 'removal_unfinished',
  table_busy: 'table_busy',
}

function interrupted(error: unknown, progress: Progress): unknown {
  const code = error instanceof Failure ? toldAs[error.code] : undefined
  return code === undefined ? error : new Failure(code, { ...progress }, error)
}

/**
 * Begins or continues a removal, to its end.
 *
 * @param progress is kept up to date
 * @returns its list; undefined when another client has finished the removal or changed it, or when the retention is over
 * @throws Failure `provider_not_found`; `wait_expired` when the signal aborts; `table_busy`
 */
export async function runRemoval(
  ports: RemovalPorts,
  found: ProviderRecord,
  context: RemovalContext,
  progress: Progress = { knownTotal: 0 },
): Promise<List | undefined> {
  const { store, clock } = ports
  const { log, signal } = context
  const provider = await begin(ports, found, newRemoval(ports), context)
  if (provider === undefined) return undefined
  progress.knownTotal = provider.memberCount ?? 0
  const round = await unlinkMembers(ports, provider, context, progress)
  if (round === undefined) return undefined
  const { last, unlinked: total } = round
  const finished = await store.finish(provider, total, clock.nowMs(), signal)
  if (finished === undefined) return undefined
  const { resource, removal, memberCount } = finished
  const facts = { provider_id: resource.id, removal_id: removal.id }
  log('removal_finished', { ...facts, affected_total: total, unlinked: total })
  // TTL may have deleted members whom an earlier attempt had marked.
  if (isPastRetention(removal, clock.nowMs())) return undefined
  if (total !== memberCount) log('membership_drift', { ...facts, expected: memberCount, found: total })
  const isOnePage = last.length === total
  const pages = isOnePage ? [last] : listPages(store, finished, total, signal)
  return { provider: finished, total, pages }
}

/** The attributes of a removal that begins now. */
function newRemoval({ clock, newId, retentionMs }: RemovalPorts): Removal {
  const startedAtMs = clock.nowMs()
  return { id: newId(), startedAtMs, retainedUntil: Math.ceil((startedAtMs + retentionMs) / 1000) }
}

/** @returns undefined when another client has finished the removal */
async function begin(
  ports: RemovalPorts,
  found: ProviderRecord,
  ours: Removal,
  context: RemovalContext,
): Promise<ProviderRecord | undefined> {
  const { requestedBy, log, signal } = context
  const { id } = found.resource
  if (found.state === 'removed') return undefined
  const begun =
    found.state === 'removing' ? found : await ports.store.begin(id, ours, String(requestedBy), signal)
  // The condition of the write has failed: another client has changed the provider.
  if (begun === undefined) return begin(ports, await getProvider(ports, id, signal), ours, context)
  // The reply to our first write may have been lost.
  const isOurs = begun.removal.id === ours.id
  log(isOurs ? 'removal_started' : 'removal_resumed', {
    provider_id: id,
    removal_id: begun.removal.id,
    affected_total: begun.memberCount,
    subject: requestedBy,
  })
  return begun
}

/** @throws Failure `provider_not_found` */
async function getProvider(
  { store }: RemovalPorts,
  id: number,
  signal: AbortSignal,
): Promise<ProviderRecord> {
  const found = await store.find(id, signal)
  if (found === undefined) throw new Failure('provider_not_found')
  return found
}

/**
 * The list of a finished removal. Memberships that it does not list are logged: they break the rules.
 *
 * @throws Failure `provider_not_found` when the retention is over; `removal_unfinished` when the removal is not finished
 */
async function replay(
  { store, clock }: RemovalPorts,
  provider: ProviderRecord,
  { requestedBy, log, signal }: RemovalContext,
): Promise<List> {
  if (provider.state !== 'removed') throw new Failure('removal_unfinished')
  const list = await readList(store, provider, signal)
  if (!isKnown(provider, clock.nowMs())) throw new Failure('provider_not_found')
  const { resource, removal } = provider
  const expected = listedTotalOf(provider)
  const facts = { provider_id: resource.id, removal_id: removal.id }
  if (list.memberships !== expected) log('membership_drift', { ...facts, expected, found: list.memberships })
  log('removal_replayed', { provider_id: resource.id, affected_total: list.total, subject: requestedBy })
  return list
}
