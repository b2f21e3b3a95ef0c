import { linksTo, linkValuesOf, type ProviderRecord } from '../domain/provider.ts'
import type { Clock } from '../time.ts'
import { isMarked, type Item, linksOf } from './items.ts'
import { type Key, memberIdOf, members, membershipKey, providerKey, userKey } from './keys.ts'
import type { Table } from './table.ts'
import type { Action, Refusal } from './transact.ts'

/** A transaction has one action for the provider, two for each member, and at most 100. */
const membersMax = 49

/** How often a transaction is refused for its items before it is read again, perhaps with fewer members. */
const attemptsMax = 4

/** How many transactions in a row are refused before it gives up: after six the members are tried one by one. */
const refusalsMax = 16

const attributes = ['PK', 'SK', 'expires_at', 'saml_provider_id', 'sso_provider_id']

/**
 * Unlinks members from a provider that is in removal, and marks their memberships, up to 49 in one transaction. So a
 * membership is marked exactly when its user is unlinked; only who was a member when the removal began has one; and nothing is
 * written once the removal is finished.
 *
 * The members of a transaction that is refused are tried again after all others, and the next ones have half as many: members
 * whom other writers change, that are too large, or whose partition is throttled, hold up nobody else.
 *
 * @returns of each transaction, how many of its users are unlinked, by whomever; at last undefined when the provider is not in
 *   this removal any more
 * @throws Failure `table_busy`, or why a member cannot be written, when only such are left; any other error at once
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
    const some = waiting.splice(0, size)
    const { unlinked, refusal } = await unlinkTogether(table, provider, some, clock.nowMs(), signal)
    if (refusal === undefined) {
      refusals = 0
      size = Math.min(size + 1, membersMax)
      yield unlinked
      continue
    }
    const [ofProvider] = refusal.codes
    if (ofProvider === 'ConditionalCheckFailed') return yield undefined
    refusals += 1
    if (refusals === refusalsMax) throw refusal.error
    waiting.push(...some)
    // All who write meet at the provider: fewer members do not help.
    if (ofProvider !== 'TransactionConflict') size = Math.ceil(some.length / 2)
  }
}

async function unlinkTogether(
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
  return { unlinked: memberships.length, refusal: await table.transact(actions, signal, attemptsMax) }
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
