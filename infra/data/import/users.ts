import { isDeepStrictEqual } from 'node:util'
import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import { linkUser } from '../membership/link.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { userIdOf, userKey } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'
import { insert } from './insert.ts'
import type { Outcome } from './report.ts'
import type { LinkTargets } from './targets.ts'

/** The context of the writes of an import. */
export interface Terms {
  data: Data
  targets: LinkTargets
  /** Only read. */
  dryRun: boolean
  signal: AbortSignal
}

const differs = { fault: 'the user is in the table with other values and is not changed' }
const linksAtOnce = 4

/**
 * Writes users without a link or with a new provider: the users, then their memberships.
 *
 * @param items at most 25 users
 * @param isAnew whether few of them are expected in the table; reading them first is cheaper when many are
 */
export async function writeUsers(terms: Terms, items: Item[], isAnew: boolean): Promise<Outcome[]> {
  const stored = await place(terms, items, isAnew)
  // For a user in the table, the stored links decide about memberships, not the record.
  if (!terms.dryRun) await putMemberships(terms, stored)
  return stored.map((found, index) => {
    if (found === items[index]) return 'written'
    return isDeepStrictEqual(found, items[index]) ? 'there' : differs
  })
}

/** Puts the memberships of these users of new providers. */
export async function putMemberships(
  { data, targets, signal }: Terms,
  users: readonly Item[],
): Promise<void> {
  const memberships = users.flatMap(item =>
    targets.freshOf(linksOf(item)).map(providerId => membershipItem(providerId, userIdOf(item))),
  )
  for (const batch of chunk(memberships, 25)) await data.table.batchPut(batch, signal)
}

/**
 * Writes users of existing providers: each without links, then its links in one transaction.
 *
 * @param items at most 25 users
 */
export async function linkUsers(terms: Terms, items: Item[]): Promise<Outcome[]> {
  const free = items.map(({ saml_provider_id, sso_provider_id, ...others }) => others)
  const stored = await place(terms, free, false)
  const outcomes: Outcome[] = []
  await forEachConcurrently([...items.entries()], linksAtOnce, async ([index, item]) => {
    if (isDeepStrictEqual(stored[index], item)) outcomes[index] = 'there'
    else if (isDeepStrictEqual(stored[index], free[index])) outcomes[index] = await link(terms, item)
    else outcomes[index] = differs
  })
  return outcomes
}

async function link({ data, dryRun, signal }: Terms, item: Item): Promise<Outcome> {
  if (dryRun) return 'written'
  const updatedAt = item.updated_at as string | undefined
  const outcome = await linkUser(data, userIdOf(item), linksOf(item), updatedAt, signal)
  return outcome === 'linked'
    ? 'written'
    : { fault: `the user cannot be linked: ${outcome.replaceAll('_', ' ')}` }
}

/** Inserts items. @returns for each the stored item: itself, or the one that existed before */
async function place({ data, dryRun, signal }: Terms, items: Item[], isAnew: boolean): Promise<Item[]> {
  const found = new Map<unknown, Item>()
  const read = async (them: Item[]) => {
    if (them.length === 0) return
    const keys = them.map(item => userKey(userIdOf(item)))
    const stored = await data.table.batchGet(keys, signal)
    for (const item of stored) found.set(item.PK, item)
  }
  if (dryRun || !isAnew) await read(items)
  const absent = items.filter(({ PK }) => !found.has(PK))
  if (!dryRun && absent.length > 0) await read(await insert(data, absent, signal))
  return items.map(item => found.get(item.PK) ?? item)
}
