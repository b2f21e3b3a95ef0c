import type { User } from '../domain/resources.ts'
import { type Item, userItem, userOf } from './items.ts'
import { userKey } from './keys.ts'
import type { Table } from './table.ts'

/** A caller's own user; disabled when what decides about a caller cannot be read. */
export async function findCaller(table: Table, id: string, signal: AbortSignal): Promise<User | undefined> {
  const item = await table.get(userKey(id), signal)
  return item && { ...userOf(item), is_disabled: isBarred(item) }
}

const deciding = ['deleted_at', 'saml_provider_id', 'sso_provider_id']

/** To show a list, a garbled attribute counts as absent; to let somebody in, it does not. */
function isBarred(item: Item): boolean {
  const readable = userItem(userOf(item))
  const isGarbled = deciding.some(name => item[name] !== undefined && readable[name] === undefined)
  return isGarbled || (item.is_disabled !== undefined && item.is_disabled !== false)
}

/** Those of the users that exist, in the order of the ids; at most 100. */
export async function findUsers(table: Table, ids: string[], signal: AbortSignal): Promise<User[]> {
  const items = await table.batchGet(ids.map(userKey), signal)
  const users = new Map(items.map(item => [item.PK, userOf(item)]))
  return ids.flatMap(id => users.get(userKey(id).PK) ?? [])
}
