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
 * Most users of a provider have the same links, so those that were found last are tried first. A user whose update is refused
 * is read, and tried with the links that it has.
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
      const users = await table.batchGet(refused, signal)
      left = users
        .map(user => ({ userId: userIdOf(user), links: linksTo(provider, linksOf(user)) }))
        .filter(({ links }) => links.length > 0)
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
