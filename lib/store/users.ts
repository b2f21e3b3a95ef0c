import { nullableInt32 } from '../domain/fields.ts'
import { isoTime } from '../domain/iso-time.ts'
import type { CallingUser, User } from '../domain/resources.ts'
import { type Item, userOf } from './items.ts'
import { userKey } from './keys.ts'
import type { Table } from './table.ts'

export async function findCaller(
  table: Table,
  id: string,
  signal: AbortSignal,
): Promise<CallingUser | undefined> {
  const item = await table.get(userKey(id), signal)
  return item && { ...userOf(item), isMalformed: isMalformed(item) }
}

/** The attributes that decide about access, and whether a stored value can be read. */
const readable: Record<string, (stored: unknown) => boolean> = {
  is_disabled: stored => typeof stored === 'boolean',
  deleted_at: stored => isoTime(stored) !== undefined,
  saml_provider_id: stored => nullableInt32.decode(stored).valid,
  sso_provider_id: stored => nullableInt32.decode(stored).valid,
}

/** Whether such a value of a user cannot be read. */
export const isMalformed = (item: Item): boolean =>
  Object.entries(readable).some(([name, isReadable]) => item[name] !== undefined && !isReadable(item[name]))

/** The existing users of at most 100 ids, in their order. */
export async function findUsers(table: Table, ids: string[], signal: AbortSignal): Promise<User[]> {
  const items = await table.batchGet(ids.map(userKey), signal)
  const users = new Map(items.map(item => [item.PK, userOf(item)]))
  return ids.flatMap(id => users.get(userKey(id).PK) ?? [])
}
