import { Failure } from '../domain/failure.ts'
import {
  asRemoving,
  isKnown,
  isPastRetention,
  type ProviderRecord,
  type RemovingProvider,
} from '../domain/provider.ts'
import { firstBeside } from '../concurrency.ts'
import { type Affected, affectedUsers, markedOf, type Unlinked } from './affected.ts'
import type { RemovalContext, RemovalPorts, Run } from './ports.ts'
import { type Progress, unlinkMembers } from './unlink-members.ts'

/**
 * Removes a provider: marks it as being removed, lists its members, unlinks them, marks it as removed; then reads the
 * affected users. It continues an unfinished removal, and repeats the answer of a finished one.
 *
 * The order of the steps makes the answer complete and repeatable after any crash; see lib/README.md, "Removal".
 *
 * @returns the affected users as stored now, by id ascending, in pages: the first is read, the others are read on demand
 * @throws Failure `provider_not_found`; `wait_expired` when the signal aborts before the first write;
 *   `removal_unfinished` with the progress when it aborts later, or when another writer changed the removal
 */
export async function removeProvider(
  ports: RemovalPorts,
  found: ProviderRecord,
  context: RemovalContext,
): Promise<Affected> {
  if (found.state === 'removed') return replay(ports, found, context)
  // Until here nothing was changed, so an expired wait is `wait_expired`.
  if (found.state === 'active') context.signal.throwIfAborted()
  const progress: Progress = { affectedTotal: found.memberCount }
  try {
    return (
      (await attempt(ports, found, context, progress)) ??
      (await answerOfOther(ports, found, context, progress))
    )
  } catch (error) {
    throw interrupted(error, progress)
  }
}

/** @returns undefined when the finished removal must be read again */
async function attempt(
  ports: RemovalPorts,
  found: ProviderRecord,
  context: RemovalContext,
  progress: Progress,
): Promise<Affected | undefined> {
  const begun = await begin(ports, found, context)
  const unlinked = begun && (await unlinkMembers(ports, begun, context, progress))
  if (!unlinked) return undefined
  const finished = finish(ports, begun, unlinked, context)
  // TTL may have deleted some whom an earlier attempt had marked.
  const mayLackMembers =
    unlinked.total < begun.memberCount && isPastRetention(begun.removal, ports.clock.nowMs())
  if (mayLackMembers) return void (await finished)
  const users = affectedUsers(ports.store, begun, unlinked, context.signal)
  return Object.assign(await firstBeside(finished, report(users, progress)), { pages: users.pages })
}

async function answerOfOther(
  ports: RemovalPorts,
  { resource }: ProviderRecord,
  context: RemovalContext,
  progress: Progress,
): Promise<Affected> {
  const now = await ports.store.find(resource.id, context.signal)
  if (now === undefined) throw new Failure('provider_not_found')
  if (now.state !== 'removed') throw new Failure('removal_unfinished')
  const users = await replay(ports, now, context)
  return Object.assign(report(users, progress), { pages: users.pages })
}

/**
 * Continues a removal that has begun; does nothing when it is finished.
 *
 * @throws Failure `wait_expired` when the signal aborts, `table_busy`
 */
export async function finishRemoval(ports: RemovalPorts, found: ProviderRecord, run: Run): Promise<void> {
  const context = { ...run, requestedBy: undefined }
  const begun = await begin(ports, found, context)
  const unlinked = begun && (await unlinkMembers(ports, begun, run, { affectedTotal: begun.memberCount }))
  if (unlinked) await finish(ports, begun, unlinked, run)
}

async function finish(
  { store, clock }: RemovalPorts,
  { resource, removal }: RemovingProvider,
  { total }: Unlinked,
  { log, signal }: Run,
): Promise<void> {
  const isOurs = await store.finish(resource.id, removal, total, clock.nowMs(), signal)
  const facts = { provider_id: resource.id, removal_id: removal.id, affected_total: total }
  if (isOurs) log('removal_finished', { ...facts, unlinked: total })
}

/** Begins or resumes the removal; undefined when another client has finished it. */
async function begin(
  { store, clock, newId, retentionMs }: RemovalPorts,
  found: ProviderRecord,
  { requestedBy, log, signal }: RemovalContext,
): Promise<RemovingProvider | undefined> {
  const { id } = found.resource
  const startedAtMs = clock.nowMs()
  const ours = { id: newId(), startedAtMs, retainedUntil: Math.ceil((startedAtMs + retentionMs) / 1000) }
  // When the condition of a write fails, another client has changed the provider: read it again.
  for (let now: ProviderRecord | undefined = found; now !== undefined; now = await store.find(id, signal)) {
    if (!isKnown(now, clock.nowMs())) break
    if (now.state === 'removed') return undefined
    const { state, removal } = now
    if (state === 'active' && requestedBy === undefined) return undefined
    const begun =
      asRemoving(now, clock.nowMs()) ??
      (await (state === 'active' && requestedBy !== undefined
        ? store.begin(id, ours, requestedBy, signal)
        : store.mend(id, ours, signal)))
    if (begun === undefined) continue
    const isOurs = state === 'active' || removal?.id === ours.id
    log(isOurs ? 'removal_started' : 'removal_resumed', {
      provider_id: id,
      removal_id: begun.removal.id,
      affected_total: begun.memberCount,
      subject: requestedBy,
    })
    return begun
  }
  throw new Failure('provider_not_found')
}

/**
 * Repeats the answer of a finished removal: the members that it marked. Others were linked by a writer who breaks the rules;
 * they are logged. Fewer than were listed are no answer: TTL deletes them when the retention ends, by its own clock.
 */
async function replay(
  { store, clock }: RemovalPorts,
  provider: ProviderRecord,
  { requestedBy, log, signal }: RemovalContext,
) {
  const { removal, affectedTotal, memberCount } = provider
  const { id } = provider.resource
  const unlinked: Unlinked = { total: 0 }
  let found = 0
  for await (const { items, isLast } of store.members(id, signal)) {
    const marked = markedOf(items, removal)
    if (isLast && found === 0) unlinked.whole = marked
    unlinked.total += marked.length
    found += items.length
  }
  const { total } = unlinked
  const isOver = removal !== undefined && isPastRetention(removal, clock.nowMs())
  if (isOver || total < (affectedTotal ?? 0)) throw new Failure('provider_not_found')
  const expected = affectedTotal ?? memberCount
  if (found !== expected)
    log('membership_drift', { provider_id: id, removal_id: removal?.id, expected, found })
  log('removal_replayed', { provider_id: id, affected_total: total, subject: requestedBy })
  return affectedUsers(store, provider, unlinked, signal)
}

async function* report(users: Affected, progress: Progress) {
  try {
    yield* users
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
