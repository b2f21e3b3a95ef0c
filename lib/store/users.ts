import type { User } from '../domain/resources.ts'
import { userOf } from './items.ts'
import { userKey } from './keys.ts'
import type { Table } from './table.ts'

export async function findUser(table: Table, id: string, signal: AbortSignal): Promise<User | undefined> {
  const item = await table.get(userKey(id), signal)
  return item && userOf(item)
}

/** Those of the users that exist, in the order of the ids; at most 100. */
export async function findUsers(table: Table, ids: string[], signal: AbortSignal): Promise<User[]> {
  const items = await table.batchGet(ids.map(userKey), signal)
  const users = new Map(items.map(item => [item.PK, userOf(item)]))
  return ids.flatMap(id => users.get(userKey(id).PK) ?? [])
}
