import {
  isLinked,
  linksWithout,
  type ProviderRecord,
  type ProviderState,
} from '../../../lib/domain/provider.ts'
import { membershipItem, type Item, providerRecordOf, userOf } from '../../../lib/store/items.ts'
import { membershipKey, providerKey, userKey } from '../../../lib/store/keys.ts'
import type { Action } from '../../../lib/store/transact.ts'
import type { Data } from '../open-data.ts'
import { shown } from '../records/read.ts'
import { isOverdue } from './ages.ts'
import { deletion, keyOf, replacement, unchanged } from './conditions.ts'
import { type Fault, repairable, placeOf } from './fault.ts'

/** A user who has, or should have, a membership of a provider. */
export interface Pair {
  providerId: number
  userId: string
}

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
  signal: AbortSignal,
): Promise<{ pair: Pair; fault: Fault }[]> {
  const keysOf = ({ providerId, userId }: Pair) =>
    [providerKey(providerId), membershipKey(providerId, userId), userKey(userId)] as const
  const keys = new Map(pairs.flatMap(keysOf).map(key => [placeOf(key), key]))
  const items = await table.batchGet([...keys.values()], signal)
  const found = new Map(items.map(item => [placeOf(item), item]))
  return pairs.flatMap(pair => {
    const [provider, membership, user] = keysOf(pair).map(key => found.get(placeOf(key)))
    const fault = faultOf({ ...pair, provider, membership, user }, clock.nowMs())
    return fault === undefined ? [] : [{ pair, fault }]
  })
}

interface Stored extends Pair {
  provider: Item | undefined
  membership: Item | undefined
  user: Item | undefined
}

function faultOf(stored: Stored, nowMs: number): Fault | undefined {
  const { provider, membership, user, providerId } = stored
  if (provider === undefined) return orphanFault(stored, nowMs)
  const record = providerRecordOf(provider)
  if (record === undefined) return undefined
  const isMember = user !== undefined && isLinked(userOf(user), record.resource)
  const marked = record.removal?.retainedUntil
  const { state } = record
  if (state === 'removed') {
    if (isMember) return linkToRemoved(stored, user, record, nowMs)
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
  return membership !== undefined && state === 'active' ? strayMembership(stored, membership) : undefined
}

/** A membership of, or a link to, a provider that does not exist. */
function orphanFault({ membership, user, providerId }: Stored, nowMs: number): Fault | undefined {
  // TTL deletes the items of a removal in any order.
  if (membership !== undefined && typeof membership.expires_at === 'number') return overdue(membership, nowMs)
  if (membership !== undefined)
    return repairable(membership, `there is no provider ${providerId}`, 'delete the membership', [
      deletion(membership, 'expires_at'),
      unchanged(providerKey(providerId), undefined),
    ])
  if (user === undefined || userOf(user).saml_provider_id.int32 !== providerId) return undefined
  return {
    place: placeOf(user),
    problem: `it is linked to provider ${providerId}, which does not exist`,
  }
}

const overdue = (membership: Item, nowMs: number): Fault | undefined =>
  isOverdue(membership.expires_at, nowMs)
    ? repairable(membership, 'it has expired and was not deleted', 'delete the membership', [
        deletion(membership, 'expires_at'),
      ])
    : undefined

const linkNames = ['saml_provider_id', 'sso_provider_id'] as const

function linkToRemoved(stored: Stored, user: Item, { resource }: ProviderRecord, nowMs: number): Fault {
  const left = linksWithout(userOf(user), resource)
  const cleared = linkNames.filter(name => userOf(user)[name].valid && !left[name].valid)
  const values = Object.fromEntries(cleared.map(name => [name, undefined]))
  const updated_at = new Date(nowMs).toISOString()
  return repairable(
    user,
    `it is linked to provider ${resource.id}, which was removed`,
    `remove ${cleared.join(' and ')}`,
    [replacement(user, { ...values, updated_at }), providerStays(stored)],
  )
}

function missingMembership(stored: Stored, user: Item, state: ProviderState): Fault {
  const { providerId, userId } = stored
  const Item = membershipItem(providerId, userId)
  return repairable(
    user,
    `it is linked to provider ${providerId} but has no membership`,
    'add the membership',
    [
      { Put: { Item, ConditionExpression: 'attribute_not_exists(PK)' } },
      // The count is frozen during a removal.
      state === 'active' ? memberCount(providerId, 1) : providerStays(stored),
      unchanged(userKey(userId), user, ...linkNames),
    ],
  )
}

function strayMembership({ user, userId, providerId }: Stored, membership: Item): Fault {
  return repairable(
    membership,
    user === undefined ? 'there is no such user' : `the user is not linked to provider ${providerId}`,
    'delete the membership',
    [
      deletion(membership),
      memberCount(providerId, -1),
      unchanged(userKey(userId), user, ...(user === undefined ? [] : linkNames)),
    ],
  )
}

const providerStays = ({ provider }: Stored, ...names: string[]): Action =>
  unchanged(keyOf(provider as Item), provider, 'state', ...names)

const memberCount = (providerId: number, by: 1 | -1): Action => ({
  Update: {
    Key: providerKey(providerId),
    UpdateExpression: 'ADD member_count :by',
    ConditionExpression: '#state = :active AND attribute_type(member_count, :number)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':by': by, ':active': 'active', ':number': 'N' },
  },
})
