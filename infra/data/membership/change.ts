import { Failure } from '../../../lib/domain/failure.ts'
import { nullableInt32 } from '../../../lib/domain/fields.ts'
import { isLinked, isListed, type Links, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, linksOf, membershipItem } from '../../../lib/store/items.ts'
import { members, membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { Table } from '../../../lib/store/table.ts'
import { deletion, replacement } from '../conditions.ts'
import type { Action, Transact } from '../transact.ts'

/** The calls of the functions that change memberships. */
export interface Calls {
  table: Table
  transact: Transact
  /** Providers that are about to be created, and will then be given the number of their memberships. */
  coming?: readonly SamlProvider[]
}

/** What a change gives to a user. */
interface Change {
  /** All links afterwards. */
  links: Links
  /** The attributes to set, `updated_at` among them; undefined values are removed. */
  values: Item
}

export const linkNames = ['saml_provider_id', 'sso_provider_id'] as const

const triesMax = 20

/**
 * Changes a user, and ends the memberships for which no link is left. Repeats the read, the decision and the one conditional
 * transaction until no other writer interferes.
 *
 * @param done the outcome of a change
 * @param decide gets the user as stored, and returns why nothing is changed, or what the user gets; `to` undefined: the user
 *   is erased
 * @throws Failure `table_busy` after 20 attempts; the signal's reason
 */
export async function changeUser<Outcome extends string>(
  { table, transact, coming = [] }: Calls,
  userId: string,
  done: Outcome,
  signal: AbortSignal,
  decide: (user: Item, providers: readonly ProviderRecord[]) => Outcome | { to: Change | undefined },
): Promise<Outcome | 'user_not_found'> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const [user, providers] = await Promise.all([
      table.get(userKey(userId), signal),
      allProviders(table, signal),
    ])
    if (user === undefined) return 'user_not_found'
    const decided = decide(user, providers)
    if (typeof decided === 'string') return decided
    const { to } = decided
    const before = linksOf(user)
    const isLinkedAfter = (provider: SamlProvider) => to !== undefined && isLinked(to.links, provider)
    const stored = new Set(providers.map(({ resource }) => resource.id))
    // The memberships and the count of a provider that is not active do not change.
    const active = providers.filter(isListed).map(({ resource }) => resource)
    const open = [...active, ...coming.filter(({ id }) => !stored.has(id))]
    const joined = open.filter(one => isLinkedAfter(one) && !isLinked(before, one))
    const gone = open.filter(one => isLinked(before, one) && !isLinkedAfter(one))
    const counted = (id: number, by: 1 | -1) => (stored.has(id) ? [countChange(id, by)] : [])
    const isMember = await membershipsOf(table, userId, [...joined, ...gone], signal)
    // Only a user who gets links joins providers, and then this is an outcome.
    if (joined.some(isMember)) return 'already_linked' as Outcome
    const actions: Action[] = [
      to === undefined ? deletion(user, ...linkNames) : replacement(user, to.values, ...linkNames),
      ...joined.flatMap(({ id }) => [...counted(id, 1), addition(id, userId)]),
      // A link without a membership is cleared, too, without a change of the count.
      ...gone
        .filter(isMember)
        .flatMap(({ id }) => [...counted(id, -1), deletion(membershipItem(id, userId))]),
    ]
    if (await transact(actions, signal)) return done
  }
  throw new Failure('table_busy', {}, new Error(`other writers interfered ${triesMax} times`))
}

/** Returns whether the user has a membership of one of these providers. */
async function membershipsOf(
  table: Table,
  userId: string,
  providers: readonly SamlProvider[],
  signal: AbortSignal,
) {
  const keys = providers.map(({ id }) => membershipKey(id, userId))
  const found = keys.length === 0 ? [] : await table.batchGet(keys, signal)
  const partitions = new Set(found.map(({ PK }) => PK))
  return ({ id }: SamlProvider) => partitions.has(members(id).PK)
}

/** The change of a user's links. @param updatedAt ISO 8601 UTC with milliseconds */
export const newLinks = (links: Links, updatedAt: string): Change => ({
  links,
  values: {
    updated_at: updatedAt,
    ...Object.fromEntries(linkNames.map(name => [name, nullableInt32.encode(links[name])])),
  },
})

/** Adds a membership that does not exist. */
export const addition = (providerId: number, userId: string): Action => ({
  Put: { Item: membershipItem(providerId, userId), ConditionExpression: 'attribute_not_exists(PK)' },
})

/** Changes the `member_count` of a provider on the condition that it is active. */
export const countChange = (providerId: number, by: number): Action => ({
  Update: {
    Key: providerKey(providerId),
    UpdateExpression: 'ADD member_count :by',
    ConditionExpression: '#state = :active',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':active': 'active', ':by': by },
  },
})
