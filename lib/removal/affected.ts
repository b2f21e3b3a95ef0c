import { chunk, type Items, prefetch } from '../concurrency.ts'
import { Failure } from '../domain/failure.ts'
import type { ProviderRecord } from '../domain/provider.ts'
import type { User } from '../domain/resources.ts'
import { isUnlinked } from './members.ts'
import type { Member, RemovalStore } from './ports.ts'

const usersPerRead = 100
const readsAhead = 4

/** The affected users in pages; `pages` is how many, a fraction, including users who were erased since. */
export type Affected = AsyncIterable<User[]> & { pages: number }

/** The members whom a removal has unlinked. */
export interface Unlinked {
  total: number
  /** All of them, when they are one page; a longer list is read again, so that it is never in memory as a whole. */
  whole?: Member[] | undefined
}

/** Reads the members of a removed provider as users, by id ascending, without users who were erased since; on demand. */
export function affectedUsers(
  store: RemovalStore,
  provider: ProviderRecord,
  { total, whole }: Unlinked,
  signal: AbortSignal,
): Affected {
  const pages = whole ? [whole] : markedMembers(store, provider, total, signal)
  const users = prefetch(batches(pages), readsAhead, userIds => store.users(userIds, signal))
  return Object.assign(users, { pages: total / usersPerRead })
}

const idOf = ({ userId }: Member) => userId

async function* batches(pages: Items<Member[]>) {
  for await (const members of pages) yield* chunk(members.map(idOf), usersPerRead)
}

/** @throws Failure `provider_not_found` at the end when they are fewer than `total`: TTL has begun to delete them */
async function* markedMembers(
  store: RemovalStore,
  { resource, removal }: ProviderRecord,
  total: number,
  signal: AbortSignal,
) {
  let found = 0
  for await (const { items } of store.members(resource.id, signal)) {
    const marked = markedOf(items, removal)
    found += marked.length
    yield marked
  }
  if (found < total) throw new Failure('provider_not_found')
}

/** The members that a removal has marked; all when its attributes are malformed, so that it is not known how. */
export const markedOf = (members: Member[], removal: ProviderRecord['removal']): Member[] =>
  removal === undefined ? members : members.filter(member => isUnlinked(member, removal))
