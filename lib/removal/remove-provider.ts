import { Failure } from '../domain/failure.ts'
import {
  asRemoving,
  isKnown,
  isPastRetention,
  type ProviderRecord,
  type Removal,
  type RemovingProvider,
} from '../domain/provider.ts'
import type { User } from '../domain/resources.ts'
import { leftMs, throwIfOver } from '../time.ts'
import { type Affected, affectedUsers } from './affected.ts'
import { type Listed, listedTotal, readList, visibleAfterMs } from './members.ts'
import type { RemovalContext, RemovalPorts } from './ports.ts'
import { type Progress, unlinkMembers } from './unlink-members.ts'

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
  if (found.state === 'removed') return replay(ports, found, context)
  // Until here nothing was changed, so an expired wait is `wait_expired`.
  if (found.state === 'active') assertTimeToBegin(context.signal)
  const progress: Progress = { affectedTotal: found.memberCount ?? 0 }
  try {
    const finished = await finishRemoval(ports, found, context, progress)
    const { total, pages } = finished
      ? answerOfOurs(ports, finished, context)
      : await answerOfOther(ports, found, context)
    return { total, pages: withProgress(pages, progress) }
  } catch (error) {
    throw interrupted(error, progress)
  }
}

/** What must be left before the first attempt to begin: then a removal also advances where a call takes up to 10 ms. */
const beginMs = 50

/** @throws the signal's reason; Failure `wait_expired` */
function assertTimeToBegin(signal: AbortSignal) {
  throwIfOver(signal)
  if (leftMs(signal) < beginMs) throw new Failure('wait_expired')
}

function answerOfOurs(
  { store, clock }: RemovalPorts,
  { provider, listed }: Finished,
  { signal }: RemovalContext,
) {
  // TTL may have deleted members whom an earlier attempt had marked.
  if (isPastRetention(provider.removal, clock.nowMs())) throw new Failure('provider_not_found')
  return affectedUsers(store, provider, listed, signal)
}

async function answerOfOther(
  ports: RemovalPorts,
  { resource }: ProviderRecord,
  context: RemovalContext,
): Promise<Affected> {
  const now = await getProvider(ports, resource.id, context.signal)
  if (now.state !== 'removed') throw new Failure('removal_unfinished')
  return replay(ports, now, context)
}

interface Finished {
  provider: RemovingProvider
  listed: Listed
}

/**
 * Begins or continues a removal, to its end.
 *
 * @param progress is kept up to date
 * @returns undefined when another client has finished the removal, or changed it
 * @throws Failure `provider_not_found`; `wait_expired` when the signal aborts; `table_busy`; `removal_unfinished`
 */
export async function finishRemoval(
  ports: RemovalPorts,
  found: ProviderRecord,
  context: RemovalContext,
  progress: Progress = { affectedTotal: 0 },
): Promise<Finished | undefined> {
  const { store, clock } = ports
  const { log, signal } = context
  const provider = await begin(ports, found, newRemoval(ports), context)
  if (provider === undefined) return undefined
  const listed = await unlinkMembers(ports, provider, context, progress)
  if (listed === undefined) return undefined
  const { resource, removal, memberCount } = provider
  const { total } = listed
  if (!(await store.finish(resource.id, removal, total, clock.nowMs(), signal))) return undefined
  const facts = { provider_id: resource.id, removal_id: removal.id }
  log('removal_finished', { ...facts, affected_total: total, unlinked: total })
  if (total !== memberCount && !isPastRetention(removal, clock.nowMs()))
    log('membership_drift', { ...facts, expected: memberCount, found: total })
  return { provider, listed }
}

/** The attributes of a removal that begins now. */
function newRemoval({ clock, newId, retentionMs }: RemovalPorts): Removal {
  const startedAtMs = clock.nowMs()
  return { id: newId(), startedAtMs, retainedUntil: Math.ceil((startedAtMs + retentionMs) / 1000) }
}

/** @returns undefined when another client has finished the removal, or when there is nothing to continue */
async function begin(
  ports: RemovalPorts,
  found: ProviderRecord,
  ours: Removal,
  context: RemovalContext,
): Promise<RemovingProvider | undefined> {
  const { store, clock } = ports
  const { requestedBy, signal } = context
  const { id } = found.resource
  let begun: RemovingProvider | undefined
  if (found.state === 'removing')
    begun = asRemoving(found, clock.nowMs()) ?? (await store.mend(id, ours, signal))
  else if (found.state === 'active' && requestedBy !== undefined)
    begun = await store.begin(id, ours, requestedBy, signal)
  else return undefined
  // The condition of the write has failed: another client has changed the provider.
  if (begun === undefined) return begin(ports, await getProvider(ports, id, signal), ours, context)
  // The reply to our first write may have been lost.
  const isOurs = found.state === 'active' || found.removal?.id === ours.id
  context.log(isOurs ? 'removal_started' : 'removal_resumed', {
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

/** Repeats the answer of a finished removal. Memberships that it does not list are logged: they break the rules. */
async function replay(
  { store, clock }: RemovalPorts,
  provider: ProviderRecord,
  { requestedBy, log, signal }: RemovalContext,
): Promise<Affected> {
  const { listed, memberships } = await readList(store, provider, signal)
  const { id } = provider.resource
  if (!isKnown(provider, clock.nowMs())) throw new Failure('provider_not_found')
  const expected = listedTotal(provider)
  // Before that time a Query may show memberships that were deleted just before the tombstone.
  const isCertain = clock.nowMs() - (provider.removal?.startedAtMs ?? 0) >= visibleAfterMs
  if (memberships !== expected && isCertain)
    log('membership_drift', {
      provider_id: id,
      removal_id: provider.removal?.id,
      expected,
      found: memberships,
    })
  log('removal_replayed', { provider_id: id, affected_total: listed.total, subject: requestedBy })
  return affectedUsers(store, provider, listed, signal)
}

async function* withProgress(pages: AsyncIterable<User[]>, progress: Progress) {
  try {
    yield* pages
  } catch (error) {
    throw interrupted(error, progress)
  }
}

/** Adds the progress to a failure that interrupts the removal. */
function interrupted(error: unknown, progress: Progress): unknown {
  if (!(error instanceof Failure)) return error
  const { code } = error
  if (code === 'table_busy') return new Failure(code, { ...progress }, error)
  const isUnfinished = code === 'wait_expired' || code === 'removal_unfinished'
  return isUnfinished ? new Failure('removal_unfinished', { ...progress }, error) : error
}
