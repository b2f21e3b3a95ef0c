import type { User } from '../domain/resources.ts'
import { chunk, prefetch } from '../concurrency.ts'
import type { Member, RemovalStore } from './ports.ts'

const usersPerRead = 100
const readsAhead = 4

/** The affected users in pages; `total` is their number, including users who were erased since. */
export type Affected = AsyncIterable<User[]> & { total: number }

/** Reads the members as users, by id ascending, without users who were erased since; page by page, on demand. */
export function affectedUsers(store: RemovalStore, members: Member[], signal: AbortSignal): Affected {
  const userIds = members.map(member => member.userId)
  const pages = prefetch(chunk(userIds, usersPerRead), readsAhead, batch => store.users(batch, signal))
  return Object.assign(pages, { total: userIds.length })
}
