import { type Clock, sleep } from './clock.ts'
import { Failure } from './domain/failure.ts'
import { isKnown, type ProviderRecord, type Removal } from './domain/provider.ts'
import type { SamlProvider, User } from './domain/resources.ts'
import type { Log } from './log.ts'
import { chunksOf, forEachAtOnce, readAhead } from './parallel.ts'

/** A user's membership of the provider, as written down when the link was made. */
export interface Member {
  userId: string
  /** Known to be unlinked; written only after the fact. */
  unlinked: boolean
}

/** The reads and writes a removal is made of. Each write is conditional or idempotent: it may land late, or twice. */
export interface RemovalStore {
  /** active or removing → removing, keeping what an earlier try wrote. @returns undefined from any other state */
  begin(
    providerId: number,
    removal: Removal,
    by: string,
    signal: AbortSignal,
  ): Promise<ProviderRecord | undefined>
  find(providerId: number, signal: AbortSignal): Promise<ProviderRecord | undefined>
  /** Every member, by user id ascending. */
  members(providerId: number, signal: AbortSignal): Promise<Member[]>
  /** Clears whichever of a user's two links is the provider's, and nothing else; a user without one is left alone. */
  unlinker(provider: SamlProvider): (userId: string, atMs: number, signal: AbortSignal) => Promise<void>
  markUnlinked(
    providerId: number,
    userIds: string[],
    retainedUntil: number,
    signal: AbortSignal,
  ): Promise<void>
  /** removing → removed. */
  finish(providerId: number, atMs: number, signal: AbortSignal): Promise<void>
  /** The users that still exist, in the order of the ids. */
  users(userIds: string[], signal: AbortSignal): Promise<User[]>
}

export interface RemovalTools {
  store: RemovalStore
  clock: Clock
  log: Log
  newId: () => string
  retentionMs: number
}

/** 25 is what one BatchWriteItem takes; two chunks at once keep the client's 50 sockets busy and no more. */
const chunkSize = 25
const chunksAtOnce = 2
const usersPerRead = 100
const readsAhead = 4
/** How long after a removal's start a link made just before it may still be invisible to a Query. */
const settlingMs = 500
const settlingPauseMs = 50

/**
 * Removes a provider: marks it as being removed, lists its members, unlinks them, marks it as removed; then reads the
 * affected users. It goes on where an earlier try stopped, and repeats the answer of one that has finished.
 *
 * @param by who asked, for the audit record
 * @returns the affected users as they are now, by id ascending, in pages that are read as they are asked for
 * @throws Failure `provider_not_found`; `wait_expired` when the signal ended it before the first write;
 *   `removal_unfinished` with the progress when it ended it later
 */
export async function removeProvider(
  tools: RemovalTools,
  found: ProviderRecord,
  by: string,
  signal: AbortSignal,
): Promise<AsyncIterable<User[]>> {
  const { store, log } = tools
  const provider = found.resource
  if (found.state === 'removed') return replay(tools, provider, signal)

  // Nothing has changed yet, and until the next line nothing will.
  if (found.state === 'active') signal.throwIfAborted()
  const progress = { affectedTotal: found.memberCount, unlinked: 0 }
  return reporting(progress, async () => {
    const begun = await begin(tools, found, by, signal)
    if (begun === undefined) return replay(tools, provider, signal)
    const { removal } = begun

    const members = await settledMembers(tools, begun, signal)
    const pending = members.filter(member => !member.unlinked).map(member => member.userId)
    progress.affectedTotal = members.length
    progress.unlinked = members.length - pending.length

    const unlink = store.unlinker(provider)
    await forEachAtOnce(chunksOf(pending, chunkSize), chunksAtOnce, async userIds => {
      await forEachAtOnce(userIds, chunkSize, userId => unlink(userId, tools.clock.nowMs(), signal))
      await store.markUnlinked(provider.id, userIds, removal.retainedUntil, signal)
      progress.unlinked += userIds.length
    })

    await store.finish(provider.id, tools.clock.nowMs(), signal)
    log('removal_finished', {
      provider_id: provider.id,
      removal_id: removal.id,
      affected_total: members.length,
    })
    return pages(tools, members, signal, progress)
  })
}

/** The first write; undefined when somebody else has finished the removal meanwhile. */
async function begin(
  { store, clock, log, newId, retentionMs }: RemovalTools,
  found: ProviderRecord,
  by: string,
  signal: AbortSignal,
) {
  const { id } = found.resource
  const startedAtMs = clock.nowMs()
  const ours = { id: newId(), startedAtMs, retainedUntil: Math.ceil((startedAtMs + retentionMs) / 1000) }
  const begun = await store.begin(id, ours, by, signal)
  if (begun?.removal === undefined) {
    const now = await store.find(id, signal)
    if (now?.state === 'removed' && isKnown(now, clock.nowMs())) return undefined
    throw new Failure('provider_not_found')
  }
  const event = begun.removal.id === ours.id ? 'removal_started' : 'removal_resumed'
  log(event, { provider_id: id, removal_id: begun.removal.id, affected_total: begun.memberCount })
  return { ...begun, removal: begun.removal }
}

/**
 * All members, read again for a moment when fewer than the count says. A count that stays wrong is reported and then
 * ignored: it must not make a removal stick.
 */
async function settledMembers(
  { store, clock, log }: RemovalTools,
  { resource: { id }, memberCount, removal }: ProviderRecord & { removal: Removal },
  signal: AbortSignal,
) {
  let members = await store.members(id, signal)
  while (members.length < memberCount && clock.nowMs() < removal.startedAtMs + settlingMs) {
    await sleep(clock, settlingPauseMs, signal)
    members = await store.members(id, signal)
  }
  if (members.length !== memberCount)
    log('membership_drift', {
      provider_id: id,
      removal_id: removal.id,
      expected: memberCount,
      found: members.length,
    })
  return members
}

async function replay(tools: RemovalTools, { id }: SamlProvider, signal: AbortSignal) {
  const members = await tools.store.members(id, signal)
  tools.log('removal_replayed', { provider_id: id, affected_total: members.length })
  return pages(tools, members, signal)
}

async function* pages({ store }: RemovalTools, members: Member[], signal: AbortSignal, progress?: Progress) {
  const userIds = members.map(member => member.userId)
  try {
    yield* readAhead(chunksOf(userIds, usersPerRead), readsAhead, ids => store.users(ids, signal))
  } catch (error) {
    throw progress === undefined ? error : interrupted(error, progress)
  }
}

type Progress = { affectedTotal: number; unlinked: number }

async function reporting<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw interrupted(error, progress)
  }
}

/** Says how far the removal has come, where the client is to send it again. */
function interrupted(error: unknown, progress: Progress): unknown {
  if (!(error instanceof Failure)) return error
  if (error.code === 'wait_expired') return new Failure('removal_unfinished', { ...progress }, error)
  if (error.code === 'table_busy') return new Failure('table_busy', { ...progress }, error)
  return error
}
