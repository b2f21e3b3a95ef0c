import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { userIdOf } from '../../../lib/store/keys.ts'
import { ssoIdOf } from '../linked-providers.ts'
import { membersOf } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import { scanTable } from '../scan.ts'
import { kindOf } from '../table-item.ts'

/**
 * Reads the keys and links of all users in the table who have a link.
 *
 * @param advance called with the number of items read
 */
export async function scanLinkedUsers(
  data: Data,
  take: (users: Item[]) => void | Promise<void>,
  advance: (items: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const takePage = async (items: Item[]) => {
    advance(items.length)
    await take(items.filter(item => kindOf(item).kind === 'user'))
  }
  await scanTable(data, takePage, signal, {
    ProjectionExpression: 'PK, SK, saml_provider_id, sso_provider_id',
    FilterExpression:
      'SK = :user AND (attribute_exists(saml_provider_id) OR attribute_exists(sso_provider_id))',
    ExpressionAttributeValues: { ':user': 'USER' },
  })
}

/**
 * Counts the users in the table who have the `sso_provider_id` of a provider, and no membership of it.
 *
 * @param providers that are stored, as they will be
 * @returns the numbers, by the provider's id
 */
export async function countStrangers(
  data: Data,
  providers: readonly SamlProvider[],
  advance: (items: number) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>()
  const memberIds = new Map<number, Set<string>>()
  const bySso = Map.groupBy(providers, ssoIdOf)
  const count = (users: Item[]) => {
    for (const user of users) {
      const { int32, valid } = linksOf(user).sso_provider_id
      for (const { id } of valid ? (bySso.get(int32) ?? []) : [])
        if (!memberIds.get(id)?.has(userIdOf(user))) counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  }
  for (const { id } of providers) {
    const stored = await membersOf(data, id, signal)
    memberIds.set(id, new Set(stored.map(({ userId }) => userId)))
  }
  await scanLinkedUsers(data, count, advance, signal)
  return counts
}
