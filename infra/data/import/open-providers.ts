import { chunk } from '../../../lib/concurrency.ts'
import { isLinked } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { providerKey, userIdOf } from '../../../lib/store/keys.ts'
import { changeUsers, usersPerTransaction } from '../membership/change-users.ts'
import { membersOf } from '../membership/memberships.ts'
import { scanUsers } from '../table/scan.ts'
import type { Terms } from './terms.ts'

/** Opens providers in state `importing` whose users are there: from here on they can be used and removed. */
export async function openProviders(terms: Terms, providers: readonly SamlProvider[]): Promise<void> {
  if (providers.length === 0) return
  await settleMemberships(terms, providers)
  const change = {
    UpdateExpression: 'SET #state = :active',
    ConditionExpression: '#state = :importing',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':active': 'active', ':importing': 'importing' },
  }
  const { table } = terms.data
  // When the condition does not hold, another import has opened it.
  for (const { id } of providers) await table.update(providerKey(id), change, terms.signal)
}

/**
 * Gives memberships to the users in the table whose links name one of the providers, and takes away those of others: the links
 * may be older than the provider, and its `sso_provider_id` may have changed since its import began.
 */
async function settleMemberships({ data, signal }: Terms, providers: readonly SamlProvider[]): Promise<void> {
  /** Memberships without a link, and links without a membership. */
  const unmatched = new Set<string>()
  const match = (userId: string, id: number) => {
    const pair = `${userId} ${id}`
    if (!unmatched.delete(pair)) unmatched.add(pair)
  }
  for (const { id } of providers)
    for (const { userId } of await membersOf(data, id, signal)) match(userId, id)
  const matchLinks = (users: Item[]) => {
    for (const user of users)
      for (const provider of providers)
        if (isLinked(linksOf(user), provider)) match(userIdOf(user), provider.id)
  }
  await scanUsers(data, matchLinks, signal)
  const pairsOf = Map.groupBy(unmatched, pair => pair.split(' ')[0] as string)
  const changes = Array.from(pairsOf, ([userId, pairs]) => ({
    userId,
    decide: () => ({ outcome: undefined }),
    mayHave: new Set(pairs.map(pair => Number(pair.split(' ')[1]))),
  }))
  await Array.fromAsync(changeUsers(data, chunk(changes, usersPerTransaction), signal))
}
