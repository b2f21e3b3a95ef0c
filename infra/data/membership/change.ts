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
import type { Refusal } from './api.ts'

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

/** Returns why a user, as stored, is not changed; or what the user gets, undefined when the user is erased. */
export type Decide<Outcome> = (
  user: Item,
  providers: readonly ProviderRecord[],
) => Outcome | { to: Change | undefined }

export const linkNames = ['saml_provider_id', 'sso_provider_id'] as const

const triesMax = 20

/**
 * Changes a user, and ends the memberships for which no link is left. The memberships and the count of a provider that is not
 * active stay: they are part of the list that clients still have to get. Repeats the read, the decision and the one
 * conditional transaction until no other writer interferes.
 *
 * @param done the outcome of a change
 * @throws Failure `table_busy` after 20 attempts; the signal's reason
 */
export async function changeUser<Outcome extends string>(
  { table, transact, coming = [] }: Calls,
  userId: string,
  done: Outcome,
  signal: AbortSignal,
  decide: Decide<Outcome>,
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
    const active = providers.filter(isListed).map(({ resource }) => resource)
    const open = [...active, ...coming.filter(({ id }) => !stored.has(id))]
    const joined = open.filter(one => isLinkedAfter(one) && !isLinked(before, one))
    const gone = open.filter(one => isLinked(before, one) && !isLinkedAfter(one))
    const counted = (id: number, by: 1 | -1) => (stored.has(id) ? [countChange(id, by)] : [])
    const keys = [...joined, ...gone].map(({ id }) => membershipKey(id, userId))
    const found = new Set((await table.batchGet(keys, signal)).map(({ PK }) => PK))
    const isMember = ({ id }: SamlProvider) => found.has(members(id).PK)
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

/** Links as attributes. */
export const storedLinks = (links: Links): Item =>
  Object.fromEntries(linkNames.map(name => [name, nullableInt32.encode(links[name])]))

/** Why nobody gets these links; undefined if not. */
export function refusalOf(links: Links, providers: readonly ProviderRecord[]): Refusal | undefined {
  const named = providers.filter(({ resource }) => isLinked(links, resource))
  const { int32, valid } = links.saml_provider_id
  if (valid && !named.some(({ resource }) => resource.id === int32)) return 'provider_not_found'
  return named.every(isListed) ? undefined : 'provider_not_active'
}

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
