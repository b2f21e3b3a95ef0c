import { chunk, type Items, prefetch } from '../concurrency.ts'
import type { ProviderRecord } from '../domain/provider.ts'
import type { User } from '../domain/resources.ts'
import { type Listed, listedMembers } from './members.ts'
import type { Member, RemovalStore } from './ports.ts'

const usersPerRead = 100
const readsAhead = 4

/** The affected users by id ascending, in pages that are read on demand. */
export interface Affected {
  /** With those who were erased since, and are in no page. */
  total: number
  pages: AsyncIterable<User[]>
}

export const affectedUsers = (
  store: RemovalStore,
  provider: ProviderRecord,
  listed: Listed,
  signal: AbortSignal,
): Affected => ({
  total: listed.total,
  pages: usersOf(store, listedMembers(store, provider, listed, signal), signal),
})

/** Reads the users of members, a few pages ahead. */
export const usersOf = (store: RemovalStore, members: Items<Member[]>, signal: AbortSignal) =>
  prefetch(batches(members), readsAhead, userIds => store.users(userIds, signal))

async function* batches(pages: Items<Member[]>) {
  for await (const members of pages)
    yield* chunk(
      members.map(({ userId }) => userId),
      usersPerRead,
    )
}
