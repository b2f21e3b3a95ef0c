import { type Calls, changeUsers, type UserChange } from './change-users.ts'

/**
 * Deletes users, and their memberships of the active providers to which they are linked.
 *
 * @param advance called with the number of users who are done
 * @returns the ids of those who were not there
 */
export async function eraseUsers(
  calls: Calls,
  userIds: readonly string[],
  signal: AbortSignal,
  advance?: (users: number) => void,
): Promise<string[]> {
  const changes = userIds.map(
    (userId): UserChange<boolean> => ({
      userId,
      decide: user => (user === undefined ? { outcome: false } : { outcome: true, to: 'erased' }),
      alreadyMember: false,
    }),
  )
  const wereThere = await changeUsers(calls, changes, signal, advance)
  return userIds.filter((_, index) => !wereThere[index])
}
