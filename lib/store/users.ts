import { nullableInt32 } from '../domain/fields.ts'
import { isoTime } from '../domain/iso-time.ts'
import type { User } from '../domain/resources.ts'
import { type Item, userOf } from './items.ts'
import { type Key, userKey } from './keys.ts'
import type { Table } from './table.ts'

/** The caller's users; `is_disabled` is true when an attribute that decides about access is malformed. */
export async function findCaller(table: Table, ids: string[], signal: AbortSignal): Promise<User[]> {
  const keys = ids.map(userKey)
  const items =
    keys.length > 1 ? await table.batchGet(keys, signal) : [await table.get(keys[0] as Key, signal)]
  return items.flatMap(item => (item ? { ...userOf(item), is_disabled: isDenied(item) } : []))
}

/** When listing, a malformed attribute reads as absent; when authorising, it denies access. */
const permitted: Record<string, (stored: unknown) => boolean> = {
  is_disabled: stored => stored === false,
  deleted_at: stored => isoTime(stored) !== undefined,
  saml_provider_id: stored => nullableInt32.decode(stored).valid,
  sso_provider_id: stored => nullableInt32.decode(stored).valid,
}

const isDenied = (item: Item) =>
  Object.entries(permitted).some(([name, passes]) => item[name] !== undefined && !passes(item[name]))

/** The existing users of at most 100 ids, in their order. */
export async function findUsers(table: Table, ids: string[], signal: AbortSignal): Promise<User[]> {
  const items = await table.batchGet(ids.map(userKey), signal)
  const users = new Map(items.map(item => [item.PK, userOf(item)]))
  return ids.flatMap(id => users.get(userKey(id).PK) ?? [])
}
