import { chunk, type Items, prefetch } from '../concurrency.ts'
import { Failure } from '../domain/failure.ts'
import { clockAheadMaxMs, isLinked, type ProviderRecord } from '../domain/provider.ts'
import type { User } from '../domain/resources.ts'
import { delay } from '../time.ts'
import { type Member, type RemovalPorts, type RemovalStore, visibleAfterMs } from './ports.ts'

const usersPerRead = 100
const readsAhead = 4

/** How long an answer waits before it reads users again of whom one is still shown with the link. */
const pauseMs = 200

/** The users whom a removal lists, those it has unlinked, by id ascending. */
export interface List {
  provider: ProviderRecord
  total: number
  /** Their ids. More than one page is read again, so that a list is never in memory as a whole. */
  pages: Items<string[]>
}

/** The affected users as stored now, in pages that are read on demand. */
export interface Affected {
  /** With those who were erased since, and are in no page. */
  total: number
  pages: AsyncIterable<User[]>
}

/**
 * Reads the list of a removed provider, and counts its memberships: those that it does not list break the rules for writers.
 *
 * @throws Failure `provider_not_found` when fewer are left than were listed: TTL has begun to delete them, by its own clock
 */
export async function readList(
  store: RemovalStore,
  provider: ProviderRecord,
  signal: AbortSignal,
): Promise<List & { memberships: number }> {
  let last: string[] = []
  let total = 0
  let memberships = 0
  for await (const members of store.members(provider, signal)) {
    last = idsOfUnlinked(members)
    total += last.length
    memberships += members.length
  }
  if (total < (listedTotalOf(provider) ?? 0)) throw new Failure('provider_not_found')
  const pages = total === last.length ? [last] : listPages(store, provider, total, signal)
  return { provider, total, pages, memberships }
}

/** How many members a removed provider has listed; undefined when neither this number nor that of its users can be read. */
export const listedTotalOf = ({ listedTotal, memberCount }: ProviderRecord): number | undefined =>
  listedTotal ?? memberCount

/**
 * Reads the list of a removed provider.
 *
 * @throws Failure `provider_not_found` at the end when it has fewer than `total` members left, as TTL deletes them
 */
export async function* listPages(
  store: RemovalStore,
  provider: ProviderRecord,
  total: number,
  signal: AbortSignal,
): AsyncGenerator<string[], void> {
  let found = 0
  for await (const members of store.members(provider, signal)) {
    const unlinked = idsOfUnlinked(members)
    found += unlinked.length
    yield unlinked
  }
  if (found < total) throw new Failure('provider_not_found')
}

const idsOfUnlinked = (members: Member[]) =>
  members.filter(({ isUnlinked }) => isUnlinked).map(({ userId }) => userId)

/** Reads the users of a list, a few pages ahead. */
export function affectedUsers(
  { store, clock }: Pick<RemovalPorts, 'store' | 'clock'>,
  { provider, total, pages }: List,
  signal: AbortSignal,
): Affected {
  // Until then a read may show a user with the old link; a link that is shown later was made by another writer.
  const finishedAgoMs = Math.max(0, clock.nowMs() - provider.removedAtMs - clockAheadMaxMs)
  const settledAtMs = clock.elapsedMs() + visibleAfterMs - finishedAgoMs
  async function read(userIds: string[]): Promise<User[]> {
    const isSettled = clock.elapsedMs() >= settledAtMs
    const users = await store.users(userIds, signal)
    if (isSettled || !users.some(user => isLinked(user, provider.resource))) return users
    await delay(clock, pauseMs, signal)
    return read(userIds)
  }
  return { total, pages: prefetch(batches(pages), readsAhead, read) }
}

async function* batches(pages: Items<string[]>) {
  for await (const userIds of pages) yield* chunk(userIds, usersPerRead)
}
