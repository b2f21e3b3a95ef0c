/** A set of users, one bit for each; there are at most three: A, B and C. */
export type Users = number
export const nobody: Users = 0
export const everybody: Users = 7

const bits = [1, 2, 4]
const singles = Array.from({ length: 8 }, (_, users) => bits.filter(user => users & user))

/** The users of a set, each as a set of its own, by id ascending. */
export const each = (users: Users): readonly Users[] => singles[users] ?? []
export const indexOf = (user: Users) => bits.indexOf(user)
export const sizeOf = (users: Users) => each(users).length
export const without = (users: Users, gone: Users): Users => users & ~gone
export const together = (sets: readonly Users[]): Users => sets.reduce((all, users) => all | users, nobody)
export const namesOf = (users: Users) =>
  each(users)
    .map(user => 'ABC'[indexOf(user)])
    .join('+') || 'nobody'
