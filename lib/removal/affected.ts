import type { User } from '../domain/resources.ts'
import { chunk, prefetch } from '../concurrency.ts'
import type { Member, RemovalStore } from './ports.ts'

const usersPerRead = 100
const readsAhead = 4

/** The affected users in pages, and how many they are, with those that were erased since. */
export type Affected = AsyncIterable<User[]> & { total: number }

/** The members as users, by id ascending, without those that were erased since; in pages, read as they are asked for. */
export function affectedUsers(store: RemovalStore, members: Member[], signal: AbortSignal): Affected {
  const userIds = members.map(member => member.userId)
  const pages = prefetch(chunk(userIds, usersPerRead), readsAhead, batch => store.users(batch, signal))
  return Object.assign(pages, { total: userIds.length })
}
