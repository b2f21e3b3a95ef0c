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
import { type Fault, mendable, placeOf } from './fault.ts'

/** A user who is, or ought to be, a member of a provider. */
export interface Pair {
  providerId: number
  userId: string
}

/** Each takes three keys, and one call reads 100. */
export const pairsPerRead = 33

/**
 * What is wrong between providers and users, as the table is now. The user's links decide; the membership follows.
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
    const [provider, edge, user] = keysOf(pair).map(key => found.get(placeOf(key)))
    const fault = faultOf({ ...pair, provider, edge, user }, clock.nowMs())
    return fault === undefined ? [] : [{ pair, fault }]
  })
}

interface Stored extends Pair {
  provider: Item | undefined
  edge: Item | undefined
  user: Item | undefined
}

function faultOf(stored: Stored, nowMs: number): Fault | undefined {
  const { provider, edge, user, providerId } = stored
  if (provider === undefined) return orphanFault(stored, nowMs)
  const record = providerRecordOf(provider)
  if (record === undefined) return undefined
  const isMember = user !== undefined && isLinked(userOf(user), record.resource)
  const marked = record.removal?.retainedUntil
  const { state } = record
  if (state === 'removed') {
    if (isMember) return linkToRemoved(stored, user, record, nowMs)
    if (edge !== undefined && marked !== undefined && edge.expires_at !== marked)
      return mendable(
        edge,
        `expires_at must be ${marked}, for provider ${providerId} was removed, and is ${shown(edge.expires_at)}`,
        `set expires_at to ${marked}`,
        [replacement(edge, { expires_at: marked }), providerStays(stored, 'retained_until')],
      )
    return edge && overdue(edge, nowMs)
  }
  if (isMember) {
    if (edge === undefined) return missingMembership(stored, user, state)
    // An active provider's would be deleted, and a removal passes over one that bears its mark.
    if (edge.expires_at !== undefined && (state === 'active' || edge.expires_at === marked))
      return mendable(edge, 'expires_at is set, and the user is linked', 'remove expires_at', [
        replacement(edge, { expires_at: undefined }),
        providerStays(stored),
      ])
    return undefined
  }
  return edge !== undefined && state === 'active' ? strayMembership(stored, edge) : undefined
}

/** A membership, or a link, of a provider that is not there. */
function orphanFault({ edge, user, providerId }: Stored, nowMs: number): Fault | undefined {
  // What a removal has left is deleted by TTL, in any order.
  if (edge !== undefined && typeof edge.expires_at === 'number') return overdue(edge, nowMs)
  if (edge !== undefined)
    return mendable(edge, `there is no provider ${providerId}`, 'delete the membership', [
      deletion(edge, 'expires_at'),
      unchanged(providerKey(providerId), undefined),
    ])
  if (user === undefined || userOf(user).saml_provider_id.int32 !== providerId) return undefined
  return {
    place: placeOf(user),
    problem: `it is linked to provider ${providerId}, and there is no such provider`,
  }
}

const overdue = (edge: Item, nowMs: number): Fault | undefined =>
  isOverdue(edge.expires_at, nowMs)
    ? mendable(edge, 'it has expired and was not deleted', 'delete the membership', [
        deletion(edge, 'expires_at'),
      ])
    : undefined

const linkNames = ['saml_provider_id', 'sso_provider_id'] as const

function linkToRemoved(stored: Stored, user: Item, { resource }: ProviderRecord, nowMs: number): Fault {
  const left = linksWithout(userOf(user), resource)
  const cleared = linkNames.filter(name => userOf(user)[name].valid && !left[name].valid)
  const values = Object.fromEntries(cleared.map(name => [name, undefined]))
  const updated_at = new Date(nowMs).toISOString()
  return mendable(
    user,
    `it is linked to provider ${resource.id}, which was removed`,
    `remove ${cleared.join(' and ')}`,
    [replacement(user, { ...values, updated_at }), providerStays(stored)],
  )
}

function missingMembership(stored: Stored, user: Item, state: ProviderState): Fault {
  const { providerId, userId } = stored
  const Item = membershipItem(providerId, userId)
  return mendable(
    user,
    `it is linked to provider ${providerId} and is no member of it`,
    'add the membership',
    [
      { Put: { Item, ConditionExpression: 'attribute_not_exists(PK)' } },
      // A removal has frozen the count.
      state === 'active' ? memberCount(providerId, 1) : providerStays(stored),
      unchanged(userKey(userId), user, ...linkNames),
    ],
  )
}

function strayMembership({ user, userId, providerId }: Stored, edge: Item): Fault {
  return mendable(
    edge,
    user === undefined ? 'there is no such user' : `the user is not linked to provider ${providerId}`,
    'delete the membership',
    [
      deletion(edge),
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
