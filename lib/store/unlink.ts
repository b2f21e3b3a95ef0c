import { linksTo, linkValuesOf, type ProviderRecord } from '../domain/provider.ts'
import type { Clock } from '../time.ts'
import { isMarked, type Item, linksOf } from './items.ts'
import { type Key, memberIdOf, members, membershipKey, providerKey, userKey } from './keys.ts'
import { backOff } from './retry.ts'
import type { Table } from './table.ts'
import type { Action, Refusal } from './transact.ts'

/** A transaction has one action for the provider, two for each member, and at most 100. */
const membersMax = 49

/** After so many refusals in a row a call gives up. Seven of them reduce 49 members to one, unless they concern the provider. */
const refusalsMax = 20

const attributes = ['PK', 'SK', 'expires_at', 'saml_provider_id', 'sso_provider_id']

/**
 * Unlinks members from a provider that is in removal, and marks their memberships, up to 49 in one transaction. A mark
 * therefore means that its user is unlinked. Only members from before the removal are marked, and nothing is written after its
 * finish.
 *
 * When a transaction is refused, its members wait until the others were tried, and the following transactions are smaller. So
 * a member that others change, that is too large, or whose partition is throttled, does not hold up the others.
 *
 * @returns for each group of members, how many of them are unlinked, by anybody; as the last value undefined, when the provider
 *   is not in this removal any more
 * @throws why the last of 20 transactions in a row was refused, Failure `table_busy` unless it was too large; what a read throws
 */
export async function* unlink(
  table: Table,
  provider: ProviderRecord,
  userIds: readonly string[],
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<number | undefined, void> {
  const waiting = [...userIds]
  let size = membersMax
  let refusals = 0
  while (waiting.length > 0) {
    const group = waiting.splice(0, size)
    const { unlinked, refusal } = await unlinkGroup(table, provider, group, clock.nowMs(), signal)
    if (refusal === undefined) {
      refusals = 0
      size = Math.min(size + 1, membersMax)
      yield unlinked
      continue
    }
    const [providerCode = 'None'] = refusal.codes
    if (providerCode === 'ConditionalCheckFailed') return yield undefined
    refusals += 1
    if (refusals === refusalsMax) throw refusal.error
    waiting.push(...group)
    // The first refusal may come from another attempt that has just marked them; the provider is the same beside fewer members.
    if (refusals > 1 && providerCode === 'None') size = Math.ceil(group.length / 2)
    await backOff(clock, refusals, signal)
  }
}

async function unlinkGroup(
  table: Table,
  provider: ProviderRecord,
  userIds: readonly string[],
  atMs: number,
  signal: AbortSignal,
): Promise<{ unlinked: number; refusal?: Refusal | undefined }> {
  const { id } = provider.resource
  const keys = userIds.flatMap(userId => [membershipKey(id, userId), userKey(userId)])
  const items = await table.batchGet(keys, signal, attributes)
  const memberships = items.filter(({ PK }) => PK === members(id).PK)
  const users = new Map(items.map(item => [item.PK, item]))
  const unmarked = memberships.filter(membership => !isMarked(membership, provider))
  if (unmarked.length === 0) return { unlinked: memberships.length }
  const actions = [
    { ConditionCheck: { Key: providerKey(id), ...whileRemoving(provider) } },
    ...unmarked.flatMap(membership => {
      const key = userKey(String(memberIdOf(membership)))
      return [mark(membership, provider), clearLinks(key, users.get(key.PK), provider, atMs)]
    }),
  ]
  return { unlinked: memberships.length, refusal: await table.transact(actions, signal, 1) }
}

/** The condition that the provider is still in the removal in which it was read. */
export const whileRemoving = ({ removal: { id } }: ProviderRecord) => ({
  ConditionExpression: `#state = :removing AND ${id === undefined ? 'NOT attribute_type(removal_id, :id)' : 'removal_id = :id'}`,
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':removing': 'removing', ':id': id ?? 'S' } as Item,
})

const mark = ({ PK, SK }: Item, { removal }: ProviderRecord): Action => ({
  Update: {
    Key: { PK, SK },
    UpdateExpression: 'SET expires_at = :end',
    ConditionExpression: 'attribute_exists(PK) AND (attribute_not_exists(expires_at) OR expires_at <> :end)',
    ExpressionAttributeValues: { ':end': removal.retainedUntil },
  },
})

/** Clears the links of a user to the provider, on the condition that they are as they were read; also that there are none. */
function clearLinks(Key: Key, user: Item = {}, { resource }: ProviderRecord, atMs: number): Action {
  const links = linksTo(resource, linksOf(user))
  const all = linkValuesOf(resource)
  const conditions = all.map(([name]) =>
    links.includes(name) ? `${name} = :${name}` : `(attribute_not_exists(${name}) OR ${name} <> :${name})`,
  )
  const ConditionExpression = conditions.join(' AND ')
  const ExpressionAttributeValues: Item = Object.fromEntries(all.map(([name, value]) => [`:${name}`, value]))
  if (links.length === 0) return { ConditionCheck: { Key, ConditionExpression, ExpressionAttributeValues } }
  return {
    Update: {
      Key,
      UpdateExpression: `SET updated_at = :now REMOVE ${links.join(', ')}`,
      ConditionExpression,
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ':now': new Date(atMs).toISOString() },
    },
  }
}
