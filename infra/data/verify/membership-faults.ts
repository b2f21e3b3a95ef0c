import { isLinked, type ProviderState } from '../../../lib/domain/provider.ts'
import { nullableInt32 } from '../../../lib/domain/fields.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, linksOf, providerRecordOf } from '../../../lib/store/items.ts'
import { membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'
import type { Action } from '../transact.ts'
import { linksWithout } from '../linked-providers.ts'
import { addition, countChange, linkNames } from '../membership/change.ts'
import type { Data } from '../open-data.ts'
import { shown } from '../records/read.ts'
import { isOverdue, isRetention } from '../ages.ts'
import { deletion, keyOf, replacement, unchanged } from '../conditions.ts'
import { type Fault, repairable, placeOf } from './fault.ts'

/** A user who has, or should have, a membership of a provider. */
export interface Pair {
  providerId: number
  userId: string
}

/** Whether another provider has the SSO provider of this one. */
export type IsShared = (provider: SamlProvider) => boolean

/** Each pair needs three keys, and one call reads 100. */
export const pairsPerRead = 33

/**
 * Finds faults of memberships in the current table. The user's links decide; the membership follows.
 *
 * @param pairs at most 33
 */
export async function membershipFaults(
  { table, clock }: Data,
  pairs: readonly Pair[],
  isShared: IsShared,
  signal: AbortSignal,
): Promise<{ pair: Pair; fault: Fault }[]> {
  const keysOf = ({ providerId, userId }: Pair) =>
    [providerKey(providerId), membershipKey(providerId, userId), userKey(userId)] as const
  const keys = new Map(pairs.flatMap(keysOf).map(key => [placeOf(key), key]))
  const items = await table.batchGet([...keys.values()], signal)
  const found = new Map(items.map(item => [placeOf(item), item]))
  return pairs.flatMap(pair => {
    const [provider, membership, user] = keysOf(pair).map(key => found.get(placeOf(key)))
    const fault = faultOf({ ...pair, provider, membership, user }, isShared, clock.nowMs())
    return fault === undefined ? [] : [{ pair, fault }]
  })
}

interface Stored extends Pair {
  provider: Item | undefined
  membership: Item | undefined
  user: Item | undefined
}

function faultOf(stored: Stored, isShared: IsShared, nowMs: number): Fault | undefined {
  const { provider, membership, user, providerId } = stored
  if (provider === undefined) return orphanFault(stored, nowMs)
  const record = providerRecordOf(provider)
  if (record === undefined) return undefined
  const { state, resource, removal } = record
  const marked = removal?.retainedUntil
  if (user !== undefined && isLinked(linksOf(user), resource)) {
    const isOnlySso = linksOf(user).saml_provider_id.int32 !== providerId
    if (state === 'removed') return linkToRemoved(stored, user, resource, isShared(resource), nowMs)
    if (isOnlySso && isShared(resource)) return undefined
    if (membership === undefined) return missingMembership(stored, user, state)
    // TTL would delete an active provider's membership, and a removal skips one with its mark.
    const isLost =
      membership.expires_at !== undefined && (state === 'active' || membership.expires_at === marked)
    return isLost ? expiringMembership(stored, membership) : undefined
  }
  if (membership === undefined) return undefined
  if (state === 'active' && !isUnclear(stored)) return strayMembership(stored, membership)
  if (state !== 'removed') return undefined
  if (marked === undefined || membership.expires_at === marked) return overdue(membership, nowMs)
  return repairable(
    membership,
    `provider ${providerId} was removed: expires_at must be ${marked}, and is ${shown(membership.expires_at)}`,
    `set expires_at to ${marked}`,
    [replacement(membership, { expires_at: marked }), providerStays(stored, 'retained_until')],
  )
}

/** Whether the user may have a link to the provider that cannot be read: a person decides, and needs the membership. */
function isUnclear({ user, provider }: Stored): boolean {
  if (user === undefined) return false
  const isSsoLinked = user.sso_provider_id !== undefined && isUnreadable(provider?.sso_provider_id)
  return isSsoLinked || linkNames.some(name => isUnreadable(user[name]))
}

const isUnreadable = (link: unknown) => (link ?? null) !== null && !nullableInt32.decode(link).valid

/** A membership of, or a link to, a provider that does not exist. */
function orphanFault(stored: Stored, nowMs: number): Fault | undefined {
  const { membership, user, userId, providerId } = stored
  if (user !== undefined && linksOf(user).saml_provider_id.int32 === providerId)
    return { place: placeOf(user), problem: `it is linked to provider ${providerId}, which does not exist` }
  if (membership === undefined || isUnclear(stored)) return undefined
  const { expires_at } = membership
  // TTL deletes the items of a removal in any order.
  if (isRetention(expires_at, nowMs)) return overdue(membership, nowMs)
  const setBy = expires_at === undefined ? '' : `, and no removal sets expires_at to ${shown(expires_at)}`
  return repairable(membership, `there is no provider ${providerId}${setBy}`, 'delete the membership', [
    deletion(membership, 'expires_at'),
    unchanged(providerKey(providerId), undefined),
    linksStay(userId, user),
  ])
}

const overdue = (membership: Item, nowMs: number): Fault | undefined =>
  isOverdue(membership.expires_at, nowMs)
    ? repairable(membership, 'it has expired and was not deleted', 'delete the membership', [
        deletion(membership, 'expires_at'),
      ])
    : undefined

/** @param isShared whether the provider's SSO provider is another one's, too: then this link stays */
function linkToRemoved(stored: Stored, user: Item, resource: SamlProvider, isShared: boolean, nowMs: number) {
  const [links, left] = [linksOf(user), linksWithout(linksOf(user), resource)]
  const cleared = linkNames.filter(
    name => links[name].valid && !left[name].valid && !(isShared && name === 'sso_provider_id'),
  )
  const problem = `it is linked to provider ${resource.id}, which was removed`
  if (cleared.length === 0)
    return { place: placeOf(user), problem: `${problem}, by an sso_provider_id that another provider has` }
  const values = Object.fromEntries(cleared.map(name => [name, undefined]))
  // A map in the place of the time is left to a person.
  const time = typeof user.updated_at === 'object' ? {} : { updated_at: new Date(nowMs).toISOString() }
  return repairable(user, problem, `remove ${cleared.join(' and ')}`, [
    replacement(user, { ...values, ...time }),
    providerStays(stored),
  ])
}

const missingMembership = (stored: Stored, user: Item, state: ProviderState): Fault =>
  repairable(
    user,
    `it is linked to provider ${stored.providerId} but has no membership`,
    'add the membership',
    [
      addition(stored.providerId, stored.userId),
      // The count is frozen during a removal.
      state === 'active' ? countChange(stored.providerId, 1) : providerStays(stored),
      linksStay(stored.userId, user),
    ],
  )

const expiringMembership = (stored: Stored, membership: Item): Fault =>
  repairable(membership, 'expires_at is set, but the user is linked', 'remove expires_at', [
    replacement(membership, { expires_at: undefined }),
    providerStays(stored),
  ])

const strayMembership = ({ user, userId, providerId }: Stored, membership: Item): Fault =>
  repairable(
    membership,
    user === undefined ? 'there is no such user' : `the user is not linked to provider ${providerId}`,
    'delete the membership',
    [deletion(membership), countChange(providerId, -1), linksStay(userId, user)],
  )

const providerStays = ({ provider }: Stored, ...names: string[]): Action =>
  unchanged(keyOf(provider as Item), provider, 'state', ...names)

const linksStay = (userId: string, user: Item | undefined): Action =>
  unchanged(userKey(userId), user, ...linkNames)
