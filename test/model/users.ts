/** A set of users, one bit for each of at most three: A, B and C. */
export type Users = number
export const noUsers: Users = 0
export const allUsers: Users = 7

const bits = [1, 2, 4]
const singles = Array.from({ length: 8 }, (_, users) => bits.filter(user => users & user))

/** The users of a set as sets of one user, by id ascending. */
export const each = (users: Users): readonly Users[] => singles[users] ?? []
export const sizeOf = (users: Users) => each(users).length
export const without = (users: Users, gone: Users): Users => users & ~gone
export const union = (sets: readonly Users[]): Users => sets.reduce((all, users) => all | users, noUsers)
export const namesOf = (users: Users) =>
  each(users)
    .map(user => 'ABC'[bits.indexOf(user)])
    .join('+') || 'no user'
