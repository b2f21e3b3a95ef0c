import { isLinked, linksWithout, type ProviderState } from '../../../lib/domain/provider.ts'
import { nullableInt32 } from '../../../lib/domain/fields.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf, userOf } from '../../../lib/store/items.ts'
import { membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'
import type { Action } from '../transact.ts'
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
  const isMember = user !== undefined && isLinked(userOf(user), resource)
  const marked = removal?.retainedUntil
  if (isMember && userOf(user).saml_provider_id.int32 !== providerId && isShared(resource))
    return state === 'removed' ? linkToSeveral(user, providerId) : undefined
  if (state === 'removed') {
    if (isMember) return linkToRemoved(stored, user, resource, isShared(resource), nowMs)
    if (membership !== undefined && marked !== undefined && membership.expires_at !== marked)
      return repairable(
        membership,
        `provider ${providerId} was removed: expires_at must be ${marked}, and is ${shown(membership.expires_at)}`,
        `set expires_at to ${marked}`,
        [replacement(membership, { expires_at: marked }), providerStays(stored, 'retained_until')],
      )
    return membership && overdue(membership, nowMs)
  }
  if (isMember) {
    if (membership === undefined) return missingMembership(stored, user, state)
    // TTL would delete an active provider's membership, and a removal skips one with its mark.
    if (membership.expires_at !== undefined && (state === 'active' || membership.expires_at === marked))
      return repairable(membership, 'expires_at is set, but the user is linked', 'remove expires_at', [
        replacement(membership, { expires_at: undefined }),
        providerStays(stored),
      ])
    return undefined
  }
  const isStray = membership !== undefined && state === 'active' && !isUnclear(stored)
  return isStray ? strayMembership(stored, membership) : undefined
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
  if (user !== undefined && userOf(user).saml_provider_id.int32 === providerId)
    return {
      place: placeOf(user),
      problem: `it is linked to provider ${providerId}, which does not exist`,
    }
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

const linkToSeveral = (user: Item, providerId: number): Fault => ({
  place: placeOf(user),
  problem: `it is linked to provider ${providerId}, which was removed, by an sso_provider_id that another provider has`,
})

/** @param isShared whether the provider's SSO provider is another one's, too: then this link stays */
function linkToRemoved(stored: Stored, user: Item, resource: SamlProvider, isShared: boolean, nowMs: number) {
  const left = linksWithout(userOf(user), resource)
  const cleared = linkNames.filter(
    name => userOf(user)[name].valid && !left[name].valid && !(isShared && name === 'sso_provider_id'),
  )
  const values = Object.fromEntries(cleared.map(name => [name, undefined]))
  // A map in the place of the time is left to a person.
  const time = typeof user.updated_at === 'object' ? {} : { updated_at: new Date(nowMs).toISOString() }
  return repairable(
    user,
    `it is linked to provider ${resource.id}, which was removed`,
    `remove ${cleared.join(' and ')}`,
    [replacement(user, { ...values, ...time }), providerStays(stored)],
  )
}

function missingMembership(stored: Stored, user: Item, state: ProviderState): Fault {
  const { providerId, userId } = stored
  return repairable(
    user,
    `it is linked to provider ${providerId} but has no membership`,
    'add the membership',
    [
      addition(providerId, userId),
      // The count is frozen during a removal.
      state === 'active' ? countChange(providerId, 1) : providerStays(stored),
      linksStay(userId, user),
    ],
  )
}

function strayMembership({ user, userId, providerId }: Stored, membership: Item): Fault {
  return repairable(
    membership,
    user === undefined ? 'there is no such user' : `the user is not linked to provider ${providerId}`,
    'delete the membership',
    [deletion(membership), countChange(providerId, -1), linksStay(userId, user)],
  )
}

const providerStays = ({ provider }: Stored, ...names: string[]): Action =>
  unchanged(keyOf(provider as Item), provider, 'state', ...names)

const linksStay = (userId: string, user: Item | undefined): Action =>
  unchanged(userKey(userId), user, ...linkNames)
