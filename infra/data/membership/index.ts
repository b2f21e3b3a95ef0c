import { randomUUID } from 'node:crypto'
import { isInt32 } from '../../../lib/domain/fields.ts'
import type { Links } from '../../../lib/domain/provider.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { openClient } from '../../../lib/store/client.ts'
import { openTable } from '../../../lib/store/table.ts'
import { systemClock } from '../../../lib/time.ts'
import { transactor } from '../transact.ts'
import type { Memberships, TablePlace, UserLinks } from './api.ts'
import { linkUser, moveUser } from './link.ts'
import { eraseUser, unlinkUser } from './unlink.ts'

export type * from './api.ts'

/** Opens the table for changes of users. */
export function openMemberships({ tableName, ...place }: TablePlace): Memberships {
  const client = openClient(place)
  const calls = {
    table: openTable(client, tableName, systemClock),
    transact: transactor(client, tableName, systemClock, randomUUID),
  }
  const never = new AbortController().signal
  const now = () => new Date(systemClock.nowMs()).toISOString()
  return {
    link: async (userId, links, signal = never) =>
      linkUser(calls, checkedId(userId), asStored(links), now(), signal),
    move: async (userId, links, signal = never) =>
      moveUser(calls, checkedId(userId), asStored(links), now(), signal),
    unlink: async (userId, samlProviderId, signal = never) =>
      unlinkUser(calls, checkedId(userId), samlProviderId, now(), signal),
    erase: async (userId, signal = never) => eraseUser(calls, checkedId(userId), signal),
    close: () => client.destroy(),
  }
}

function checkedId(userId: string): string {
  if (!isUserId(userId)) throw new TypeError('A user id is a UUID in lower case.')
  return userId
}

const asStored = ({ samlProviderId, ssoProviderId }: UserLinks): Links => ({
  saml_provider_id: linkOf(samlProviderId),
  sso_provider_id: linkOf(ssoProviderId),
})

function linkOf(id: number | null | undefined) {
  if ((id ?? null) === null) return { int32: 0, valid: false }
  if (!isInt32(id)) throw new TypeError('A link is a 32-bit integer, null or absent.')
  return { int32: id, valid: true }
}
