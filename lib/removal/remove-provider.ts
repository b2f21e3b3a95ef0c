import { Failure } from '../domain/failure.ts'
import { asRemoving, isKnown, type ProviderRecord, type RemovingProvider } from '../domain/provider.ts'
import type { SamlProvider } from '../domain/resources.ts'
import { chunk, firstBeside, forEachConcurrently } from '../concurrency.ts'
import { type Affected, affectedUsers } from './affected.ts'
import { isUnlinked, settledMembers } from './members.ts'
import type { RemovalContext, Member, RemovalPorts, Run } from './ports.ts'

/** How far a removal has come. */
interface Progress {
  affectedTotal: number
  /** Undefined until the list was read. */
  unlinked?: number
}

/** 25 is what one BatchExecuteStatement and one BatchWriteItem take. */
const chunkSize = 25
const chunksAtOnce = 16

/**
 * Removes a provider: marks it as being removed, lists its members, unlinks them, marks it as removed; then reads the
 * affected users. It goes on where an earlier try stopped, and repeats the answer of one that has finished.
 *
 * The order is what makes the answer complete and repeatable, whatever crashes in between; lib/README.md, "Removal", says why.
 *
 * @returns the affected users as they are now, by id ascending, in pages: the first was read, the others are as they are
 *   asked for
 * @throws Failure `provider_not_found`; `wait_expired` when the signal ended it before the first write;
 *   `removal_unfinished` with the progress when it ended it later
 */
export async function removeProvider(
  ports: RemovalPorts,
  found: ProviderRecord,
  context: RemovalContext,
): Promise<Affected> {
  if (found.state === 'removed') return replay(ports, found.resource, context)
  // Nothing has changed yet, and until the next line nothing will.
  if (found.state === 'active') context.signal.throwIfAborted()
  const progress: Progress = { affectedTotal: found.memberCount }
  try {
    const unlinked = await unlinkMembers(ports, found, context, progress)
    if (unlinked !== undefined) {
      const { members } = unlinked
      const pages = report(affectedUsers(ports.store, members, context.signal), progress)
      return Object.assign(await firstBeside(finish(ports, unlinked, context), pages), {
        total: members.length,
      })
    }
  } catch (error) {
    throw interrupted(error, progress)
  }
  return replay(ports, found.resource, context)
}

/**
 * Goes on with a removal that was begun; does nothing when there is none any more.
 *
 * @throws Failure `wait_expired` when the signal ended it, `table_busy`
 */
export async function finishRemoval(ports: RemovalPorts, found: ProviderRecord, run: Run): Promise<void> {
  const context = { ...run, requestedBy: undefined }
  const unlinked = await unlinkMembers(ports, found, context, { affectedTotal: found.memberCount })
  if (unlinked !== undefined) await finish(ports, unlinked, context)
}

/** A removal whose members are all unlinked and marked. */
interface Unlinked {
  begun: RemovingProvider
  members: Member[]
}

/** The steps until nobody is linked any more; undefined when somebody else has finished the removal meanwhile. */
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
  return { begun, members }
}

async function finish(
  { store, clock }: RemovalPorts,
  { begun: { resource, removal }, members }: Unlinked,
  { log, signal }: RemovalContext,
): Promise<void> {
  const isOurs = await store.finish(resource.id, removal, clock.nowMs(), signal)
  const facts = { provider_id: resource.id, removal_id: removal.id, affected_total: members.length }
  if (isOurs) log('removal_finished', { ...facts, unlinked: members.length })
}

/** Begins the removal, or takes it up where it is; undefined when somebody else has finished it meanwhile. */
async function begin(
  { store, clock, newId, retentionMs }: RemovalPorts,
  found: ProviderRecord,
  { requestedBy, log, signal }: RemovalContext,
): Promise<RemovingProvider | undefined> {
  const { id } = found.resource
  const startedAtMs = clock.nowMs()
  const ours = { id: newId(), startedAtMs, retainedUntil: Math.ceil((startedAtMs + retentionMs) / 1000) }
  // A write that fails was overtaken by somebody else's: what that made of the provider is to be read.
  for (let now: ProviderRecord | undefined = found; now !== undefined; now = await store.find(id, signal)) {
    if (!isKnown(now, clock.nowMs())) break
    if (now.state === 'removed') return undefined
    const { state, removal } = now
    if (state === 'active' && requestedBy === undefined) return undefined
    const begun =
      asRemoving(now) ??
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

async function replay(
  ports: RemovalPorts,
  { id }: SamlProvider,
  { requestedBy, log, signal }: RemovalContext,
) {
  const members = await ports.store.members(id, signal)
  log('removal_replayed', { provider_id: id, affected_total: members.length, subject: requestedBy })
  return affectedUsers(ports.store, members, signal)
}

async function* report(users: Affected, progress: Progress) {
  try {
    yield* users
  } catch (error) {
    throw interrupted(error, progress)
  }
}

/** The error as the client is to be told it: what interrupts a removal says how far that has come. */
function interrupted(error: unknown, progress: Progress): unknown {
  if (!(error instanceof Failure)) return error
  if (error.code === 'wait_expired') return new Failure('removal_unfinished', { ...progress }, error)
  if (error.code === 'table_busy') return new Failure('table_busy', { ...progress }, error)
  return error
}
