import { Failure } from '../domain/failure.ts'
import { type Links, linkValuesOf, linksTo } from '../domain/provider.ts'
import type { SamlProvider } from '../domain/resources.ts'
import { linksOf } from './items.ts'
import { type Key, userIdOf, userKey } from './keys.ts'
import type { BatchedUpdate } from './statements.ts'
import type { Table } from './table.ts'

/**
 * A link that is seen may be removed by another writer before each of the first two updates; a user at DynamoDB's limit of
 * 400 KB takes one more.
 */
const attemptsMax = 4

/**
 * Unlinks at most 25 different users from a provider, each with a conditional update for the links that the user has to it.
 *
 * Most users of a provider have the same links, so those of the last successful update are tried first. A refused update
 * returns the user, which shows the next ones. A user for whose `updated_at` the item has no room is unlinked without it.
 *
 * @throws Failure `table_busy` when the table refuses each attempt for a user whom it shows as linked
 */
export function unlinker(table: Table, provider: SamlProvider) {
  let likeliest = linkValuesOf(provider).map(([name]) => name)

  return async (userIds: readonly string[], atMs: number, signal: AbortSignal): Promise<void> => {
    const updatedAt = new Date(atMs).toISOString()
    const read = (these: { key: Key }[]) =>
      table.batchGet(
        these.map(({ key }) => key),
        signal,
      )
    let left: Attempt[] = userIds.map(userId => ({ userId, links: likeliest, updatedAt }))
    for (let attempts = 0; left.length > 0; attempts++) {
      if (attempts === attemptsMax) throw new Failure('table_busy', {}, refusedAlways(left))
      const updates = left.map(attempt => updateOf(provider, attempt))
      const refused = await table.batchUpdate(updates, signal)
      const full = refused.filter(({ isTooLarge }) => isTooLarge).map(({ key }) => userIdOf(key))
      const unseen = refused.filter(({ item, isTooLarge }) => item === undefined && !isTooLarge)
      const seen = [...refused.map(({ item }) => item), ...(await read(unseen))]
      const next = seen.flatMap((item): Attempt[] => {
        const links = item ? linksTo(provider, linksOf(item)) : []
        return item && links.length > 0 ? [{ userId: userIdOf(item), links, updatedAt }] : []
      })
      likeliest = next[0]?.links ?? likeliest
      const shorter = left.filter(({ userId }) => full.includes(userId))
      left = [...next, ...shorter.map(attempt => ({ ...attempt, updatedAt: undefined }))]
    }
  }
}

/** An attempt to unlink a user by exactly these links; without `updatedAt` it makes the item smaller. */
interface Attempt {
  userId: string
  links: (keyof Links)[]
  updatedAt: string | undefined
}

const refusedAlways = (left: Attempt[]) =>
  new Error(`${left.length} users are shown as linked and cannot be unlinked`)

function updateOf(provider: SamlProvider, { userId, links, updatedAt }: Attempt): BatchedUpdate {
  const all = linkValuesOf(provider)
  const removals = links.map(name => `REMOVE ${name}`)
  const conditions = all.map(([name]) =>
    links.includes(name) ? `${name} = ?` : `(${name} IS MISSING OR ${name} <> ?)`,
  )
  return {
    key: userKey(userId),
    change: [...(updatedAt === undefined ? [] : ['SET updated_at = ?']), ...removals].join(' '),
    changeValues: updatedAt === undefined ? [] : [updatedAt],
    condition: conditions.join(' AND '),
    conditionValues: all.map(([, value]) => value),
  }
}
