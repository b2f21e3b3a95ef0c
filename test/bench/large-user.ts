import type { User } from '../../lib/domain/resources.ts'
import { type Links, sampleUser } from '../support/samples.ts'

const permissionsInRole = 18

/** A user whose item has 2.7 KB. */
export function largeUser(n: number, links: Links): User {
  const user = sampleUser(n, links)
  const [role] = user.roles
  const [permission] = role?.permissions ?? []
  if (role === undefined || permission === undefined) return user
  const permissions = Array.from({ length: permissionsInRole }, (_, id) => ({
    ...permission,
    id,
    name: `App-${id}`,
  }))
  return { ...user, roles: [{ ...role, permissions }] }
}
