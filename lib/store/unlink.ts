import { Failure } from '../domain/failure.ts'
import { type Links, linkValuesOf, linksTo } from '../domain/provider.ts'
import type { SamlProvider } from '../domain/resources.ts'
import { linksOf } from './items.ts'
import { userIdOf, userKey } from './keys.ts'
import type { BatchedUpdate } from './statements.ts'
import type { Table } from './table.ts'

/** A link that is seen may be removed by another writer before each of the first two updates. */
const attemptsMax = 3

/**
 * Unlinks at most 25 different users from a provider, each with a conditional update for the links that the user has to it.
 *
 * Most users of a provider have the same links, so those of the last successful update are tried first. A refused update
 * returns the user, which shows the next ones.
 *
 * @throws Failure `table_busy` when the table refuses each attempt for a user whom it shows as linked
 */
export function unlinker(table: Table, provider: SamlProvider) {
  let likeliest = linkValuesOf(provider).map(([name]) => name)

  return async (userIds: readonly string[], atMs: number, signal: AbortSignal): Promise<void> => {
    const updatedAt = new Date(atMs).toISOString()
    let left: Attempt[] = userIds.map(userId => ({ userId, links: likeliest }))
    for (let attempts = 0; left.length > 0; attempts++) {
      if (attempts === attemptsMax) throw new Failure('table_busy', {}, refusedAlways(left))
      const updates = left.map(attempt => updateOf(provider, attempt, updatedAt))
      const refused = await table.updateUsers(updates, signal)
      const unseen = refused.filter(({ item }) => item === undefined).map(({ key }) => key)
      const seen = [...refused.map(({ item }) => item), ...(await table.batchGet(unseen, signal))]
      left = seen.flatMap((item): Attempt[] => {
        const links = item ? linksTo(provider, linksOf(item)) : []
        return item && links.length > 0 ? [{ userId: userIdOf(item), links }] : []
      })
      likeliest = left[0]?.links ?? likeliest
    }
  }
}

interface Attempt {
  userId: string
  links: (keyof Links)[]
}

const refusedAlways = (left: Attempt[]) =>
  new Error(`${left.length} users are shown as linked and cannot be unlinked`)

function updateOf(provider: SamlProvider, { userId, links }: Attempt, updatedAt: string): BatchedUpdate {
  const all = linkValuesOf(provider)
  const removals = links.map(name => `REMOVE ${name}`)
  const conditions = all.map(([name]) =>
    links.includes(name) ? `${name} = ?` : `(${name} IS MISSING OR ${name} <> ?)`,
  )
  return {
    key: userKey(userId),
    change: ['SET updated_at = ?', ...removals].join(' '),
    changeValues: [updatedAt],
    condition: conditions.join(' AND '),
    conditionValues: all.map(([, value]) => value),
  }
}
