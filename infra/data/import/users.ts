import { isDeepStrictEqual } from 'node:util'
import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import type { User } from '../../../lib/domain/resources.ts'
import { linkUser } from '../membership/link.ts'
import { membershipItem, type Item, userItem, userOf } from '../../../lib/store/items.ts'
import { userKey } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'
import type { Directory } from './directory.ts'
import { insert } from './insert.ts'
import type { Outcome } from './report.ts'

/** The context of the writes of an import. */
export interface Terms {
  data: Data
  directory: Directory
  /** Only read. */
  dryRun: boolean
  signal: AbortSignal
}

const differs = { fault: 'the user is in the table with other values and is not changed' }
const none = { int32: 0, valid: false }
const linksAtOnce = 4

/**
 * Writes users without a link or with a new provider: the users, then their memberships.
 *
 * @param users at most 25
 * @param isAnew whether few of them are expected in the table; reading them first is cheaper when many are
 */
export async function writeUsers(terms: Terms, users: User[], isAnew: boolean): Promise<Outcome[]> {
  const { data, directory, dryRun, signal } = terms
  const items = users.map(userItem)
  const stored = await place(terms, items, isAnew)
  // For a user in the table, the stored links decide about memberships, not the record.
  const memberships = stored.flatMap(item => {
    const user = userOf(item)
    return directory.freshOf(user).map(providerId => membershipItem(providerId, user.id))
  })
  if (!dryRun) for (const batch of chunk(memberships, 25)) await data.table.batchPut(batch, signal)
  return stored.map((found, index) => {
    if (found === items[index]) return 'written'
    return isDeepStrictEqual(found, items[index]) ? 'there' : differs
  })
}

/**
 * Writes users of existing providers: each without links, then its links in one transaction.
 *
 * @param users at most 25
 */
export async function linkUsers(terms: Terms, users: User[]): Promise<Outcome[]> {
  const free = users.map(user => userItem({ ...user, saml_provider_id: none, sso_provider_id: none }))
  const stored = await place(terms, free, false)
  const outcomes: Outcome[] = []
  await forEachConcurrently([...users.entries()], linksAtOnce, async ([index, user]) => {
    if (isDeepStrictEqual(stored[index], userItem(user))) outcomes[index] = 'there'
    else if (isDeepStrictEqual(stored[index], free[index])) outcomes[index] = await link(terms, user)
    else outcomes[index] = differs
  })
  return outcomes
}

async function link({ data, dryRun, signal }: Terms, user: User): Promise<Outcome> {
  if (dryRun) return 'written'
  const outcome = await linkUser(data, user.id, user, user.updated_at, signal)
  return outcome === 'linked'
    ? 'written'
    : { fault: `the user cannot be linked: ${outcome.replaceAll('_', ' ')}` }
}

/** Inserts items. @returns for each the stored item: itself, or the one that existed before */
async function place({ data, dryRun, signal }: Terms, items: Item[], isAnew: boolean): Promise<Item[]> {
  const found = new Map<unknown, Item>()
  const read = async (them: Item[]) => {
    if (them.length === 0) return
    const keys = them.map(item => userKey(String(item.id)))
    const stored = await data.table.batchGet(keys, signal)
    for (const item of stored) found.set(item.PK, item)
  }
  if (dryRun || !isAnew) await read(items)
  const absent = items.filter(({ PK }) => !found.has(PK))
  if (!dryRun && absent.length > 0) await read(await insert(data, absent, signal))
  return items.map(item => found.get(item.PK) ?? item)
}
