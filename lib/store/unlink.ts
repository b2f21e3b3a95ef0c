import { chunk } from '../concurrency.ts'
import { Failure } from '../domain/failure.ts'
import { linksTo, linkValuesOf, type ProviderRecord } from '../domain/provider.ts'
import type { Unlinked } from '../removal/ports.ts'
import { isMarked, type Item, linksOf } from './items.ts'
import { type Key, memberIdOf, members, membershipKey, providerKey, userKey } from './keys.ts'
import type { Table } from './table.ts'
import type { Action } from './transact.ts'

/** How often a transaction may meet others before it is tried with fewer members; and how often it is tried with the same. */
const conflictsMax = 8
const triesMax = 8

const attributes = ['PK', 'SK', 'expires_at', 'saml_provider_id', 'sso_provider_id']

/**
 * Unlinks at most 49 members from a provider that is in removal, and marks their memberships, in one transaction. So a
 * membership is marked exactly when its user is unlinked; only who was a member when the removal began has one; and nothing is
 * written once the removal is finished.
 *
 * Members whom other writers change, or that are too large, are tried in halves, so that one does not hold up the others.
 *
 * @returns undefined when the provider is not in this removal any more
 * @throws Failure `table_busy` when others change a member at each of eight attempts; any other error unchanged
 */
export async function unlink(
  table: Table,
  provider: ProviderRecord,
  userIds: readonly string[],
  atMs: number,
  signal: AbortSignal,
): Promise<Unlinked | undefined> {
  const { id } = provider.resource
  const keys = userIds.flatMap(userId => [membershipKey(id, userId), userKey(userId)])
  for (let tries = 1; ; tries++) {
    const items = await table.batchGet(keys, signal, attributes)
    const memberships = items.filter(({ PK }) => PK === members(id).PK)
    const users = new Map(items.map(item => [item.PK, item]))
    const unmarked = memberships.filter(membership => !isMarked(membership, provider))
    const result = { unlinked: memberships.length, newly: unmarked.length }
    if (unmarked.length === 0) return result
    const refusal = await table.transact(
      [
        { ConditionCheck: { Key: providerKey(id), ...whileRemoving(provider) } },
        ...unmarked.flatMap(membership => {
          const key = userKey(String(memberIdOf(membership)))
          return [mark(membership, provider), clearLinks(key, users.get(key.PK), provider, atMs)]
        }),
      ],
      signal,
      conflictsMax,
    )
    if (refusal === undefined) return result
    const [ofProvider] = refusal.codes
    if (ofProvider === 'ConditionalCheckFailed') return undefined
    // All who write meet at the provider: fewer members do not help.
    if (userIds.length > 1 && ofProvider !== 'TransactionConflict')
      return inHalves(userIds, half => unlink(table, provider, half, atMs, signal))
    if (tries === triesMax || !(refusal.error instanceof Failure)) throw refusal.error
  }
}

/** @throws the first error, after both halves were tried */
async function inHalves(
  userIds: readonly string[],
  unlinkHalf: (userIds: string[]) => Promise<Unlinked | undefined>,
): Promise<Unlinked | undefined> {
  const result = { unlinked: 0, newly: 0 }
  const errors: unknown[] = []
  for (const half of chunk(userIds, Math.ceil(userIds.length / 2))) {
    try {
      const done = await unlinkHalf(half)
      if (done === undefined) return undefined
      result.unlinked += done.unlinked
      result.newly += done.newly
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return result
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
