import { Failure } from '../domain/failure.ts'
import {
  asRemoving,
  isKnown,
  isPastRetention,
  type ProviderRecord,
  type RemovingProvider,
} from '../domain/provider.ts'
import { chunk, firstBeside, forEachConcurrently } from '../concurrency.ts'
import { type Affected, affectedUsers } from './affected.ts'
import { isUnlinked, settledMembers } from './members.ts'
import type { RemovalContext, Member, RemovalPorts, Run } from './ports.ts'

/** The progress of a removal. */
interface Progress {
  affectedTotal: number
  /** Undefined until the list was read. */
  unlinked?: number
}

/** The maximum of one BatchExecuteStatement and one BatchWriteItem. */
const chunkSize = 25
const chunksAtOnce = 16

/**
 * Removes a provider: marks it as being removed, lists its members, unlinks them, marks it as removed; then reads the
 * affected users. It continues an unfinished removal, and repeats the answer of a finished one.
 *
 * The order of the steps makes the answer complete and repeatable after any crash; see lib/README.md, "Removal".
 *
 * @returns the affected users as stored now, by id ascending, in pages: the first is read, the others are read on demand
 * @throws Failure `provider_not_found`; `wait_expired` when the signal aborts before the first write;
 *   `removal_unfinished` with the progress when it aborts later
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
    const unlinked = await unlinkMembers(ports, found, context, progress)
    if (unlinked?.isWhole === false) await finish(ports, unlinked, context)
    if (unlinked?.isWhole) {
      const { members } = unlinked
      const pages = report(affectedUsers(ports.store, members, context.signal), progress)
      return Object.assign(await firstBeside(finish(ports, unlinked, context), pages), {
        total: members.length,
      })
    }
  } catch (error) {
    throw interrupted(error, progress)
  }
  const now = await ports.store.find(found.resource.id, context.signal)
  if (now === undefined) throw new Failure('provider_not_found')
  return replay(ports, now, context)
}

/**
 * Continues a removal that has begun; does nothing when it is finished.
 *
 * @throws Failure `wait_expired` when the signal aborts, `table_busy`
 */
export async function finishRemoval(ports: RemovalPorts, found: ProviderRecord, run: Run): Promise<void> {
  const context = { ...run, requestedBy: undefined }
  const unlinked = await unlinkMembers(ports, found, context, { affectedTotal: found.memberCount })
  if (unlinked !== undefined) await finish(ports, unlinked, context)
}

/** A removal with all members unlinked and marked. */
interface Unlinked {
  begun: RemovingProvider
  members: Member[]
  /** Whether these are all: after the retention, TTL may have deleted some whom an earlier attempt had marked. */
  isWhole: boolean
}

/** All steps until no user is linked; undefined when another client has finished the removal. */
async function unlinkMembers(
  ports: RemovalPorts,
  found: ProviderRecord,
  context: RemovalContext,
  progress: Progress,
): Promise<Unlinked | undefined> {
  const begun = await begin(ports, found, context)
  if (begun === undefined) return undefined
  progress.affectedTotal = begun.memberCount

  const { resource, removal } = begun
  const members = await settledMembers(ports, begun, context)
  // Another client may have finished the removal before: then TTL and writers who break the rules have changed the list.
  const isCounted = members.length === begun.memberCount
  if (!isCounted && !asRemoving(await ports.store.find(resource.id, context.signal), ports.clock.nowMs()))
    return undefined
  const isWhole = members.length >= begun.memberCount || !isPastRetention(removal, ports.clock.nowMs())
  const pending = members.filter(member => !isUnlinked(member, removal)).map(member => member.userId)
  const unlinkedBefore = members.length - pending.length
  const listed = Object.assign(progress, { affectedTotal: members.length, unlinked: unlinkedBefore })

  const { store, clock } = ports
  const { log, signal } = context
  const unlink = store.unlinker(resource)
  const facts = { provider_id: resource.id, removal_id: removal.id, affected_total: members.length }
  try {
    await forEachConcurrently(chunk(pending, chunkSize), chunksAtOnce, async userIds => {
      await unlink(userIds, clock.nowMs(), signal)
      await store.markUnlinked(resource.id, userIds, removal.retainedUntil, signal)
      listed.unlinked += userIds.length
    })
  } finally {
    const { unlinked } = listed
    if (unlinked > unlinkedBefore)
      log('users_unlinked', { ...facts, unlinked, newly_unlinked: unlinked - unlinkedBefore })
  }
  return { begun, members, isWhole }
}

async function finish(
  { store, clock }: RemovalPorts,
  { begun: { resource, removal }, members }: Unlinked,
  { log, signal }: RemovalContext,
): Promise<void> {
  const isOurs = await store.finish(resource.id, removal, members.length, clock.nowMs(), signal)
  const facts = { provider_id: resource.id, removal_id: removal.id, affected_total: members.length }
  if (isOurs) log('removal_finished', { ...facts, unlinked: members.length })
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
  { resource: { id }, removal, affectedTotal, memberCount }: ProviderRecord,
  { requestedBy, log, signal }: RemovalContext,
) {
  const stored = await store.members(id, signal)
  // With a malformed removal it is not known how they were marked.
  const members = removal === undefined ? stored : stored.filter(member => isUnlinked(member, removal))
  const isOver = removal !== undefined && isPastRetention(removal, clock.nowMs())
  if (isOver || members.length < (affectedTotal ?? 0)) throw new Failure('provider_not_found')
  const expected = affectedTotal ?? memberCount
  if (stored.length !== expected)
    log('membership_drift', { provider_id: id, removal_id: removal?.id, expected, found: stored.length })
  log('removal_replayed', { provider_id: id, affected_total: members.length, subject: requestedBy })
  return affectedUsers(store, members, signal)
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
  if (error.code === 'wait_expired') return new Failure('removal_unfinished', { ...progress }, error)
  if (error.code === 'table_busy') return new Failure('table_busy', { ...progress }, error)
  return error
}
