import type { User } from '../domain/resources.ts'
import { chunksOf, readAhead } from '../concurrency.ts'
import type { Member, RemovalStore } from './ports.ts'

const usersPerRead = 100
const readsAhead = 4

/** The members as users, by id ascending, without those that were erased since; in pages, read as they are asked for. */
export function affectedUsers(
  store: RemovalStore,
  members: Member[],
  signal: AbortSignal,
): AsyncGenerator<User[]> {
  const userIds = members.map(member => member.userId)
  return readAhead(chunksOf(userIds, usersPerRead), readsAhead, chunk => store.users(chunk, signal))
}
