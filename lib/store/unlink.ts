import { linksTo, linkValuesOf, type ProviderRecord } from '../domain/provider.ts'
import type { Unlinked } from '../removal/ports.ts'
import { isMarked, type Item, linksOf } from './items.ts'
import { type Key, memberIdOf, membershipKey, providerKey, providers, userIdOf, userKey } from './keys.ts'
import { backOff, isThrottling } from './retry.ts'
import type { Table } from './table.ts'
import type { Action, Refusal } from './transact.ts'

/** How many attempts in a row may be refused for the provider, where all meet who remove it. */
const triesMax = 20

const attributes = ['PK', 'SK', 'expires_at', 'saml_provider_id', 'sso_provider_id']

/** What a read of a group and a transaction of those who could be read did. */
interface Attempt {
  /** How many are unlinked, by anybody; none when the transaction is refused. */
  unlinked: number
  refusal?: Refusal | undefined
  /** Whom to read and to send again: the transaction was refused for others. */
  others: readonly string[]
}

/**
 * Unlinks at most 49 members from a provider that is in removal, and marks their memberships, in one transaction. A mark
 * therefore means that its user is unlinked. Only members from before the removal are marked, and nothing is written after its
 * finish.
 *
 * Whom DynamoDB names, in the read or in the transaction, is left out; when the transaction is refused and names nobody, all are.
 * The others go on: after a refused transaction they are read and sent again at once, but with a short pause when memberships are
 * throttled.
 *
 * @returns undefined when the provider is not in this removal any more
 * @throws Failure `table_busy` when 20 attempts in a row are refused for the provider; what the table throws
 */
export async function unlink(
  table: Table,
  provider: ProviderRecord,
  userIds: readonly string[],
  signal: AbortSignal,
): Promise<Unlinked | undefined> {
  const done = await whileProviderIsBusy(table, signal, () => unlinkAll(table, provider, userIds, signal))
  if (done?.refusal === undefined) return done && { unlinked: done.unlinked, fewerMayPass: false }
  const { unlinked, others } = done
  const { refused, error } = done.refusal
  // All memberships are in one partition, and each user is in another one.
  const isSlowed = others.length > 0 && refused.some(key => memberIdOf(key) && isThrottling(key.code))
  if (isSlowed) await backOff(table.clock, 1, signal)
  const rest = await unlink(table, provider, others, signal)
  if (rest === undefined) return undefined
  const isUnnamed = refused.length === 0 && userIds.length > 1
  const fewerMayPass = isSlowed || isUnnamed || rest.fewerMayPass
  return { unlinked: unlinked + rest.unlinked, reason: error, fewerMayPass }
}

/**
 * Repeats an attempt with growing pauses while another transaction has the provider, or its partition is throttled.
 *
 * @returns undefined when the provider is not in this removal any more
 */
async function whileProviderIsBusy(
  { clock }: Table,
  signal: AbortSignal,
  attempt: () => Promise<Attempt>,
): Promise<Attempt | undefined> {
  for (let tries = 1; ; tries += 1) {
    const done = await attempt()
    const ofProvider = done.refusal?.refused.find(({ PK }) => PK === providers.PK)
    if (ofProvider === undefined) return done
    if (ofProvider.code === 'ConditionalCheckFailed') return undefined
    if (tries === triesMax) throw done.refusal?.error
    await backOff(clock, tries, signal)
  }
}

async function unlinkAll(
  table: Table,
  provider: ProviderRecord,
  userIds: readonly string[],
  signal: AbortSignal,
): Promise<Attempt> {
  const { id } = provider.resource
  const keys = userIds.flatMap(userId => [membershipKey(id, userId), userKey(userId)])
  const { items, refusal: unread } = await table.batchGetSome(keys, signal, attributes, 1)
  const read = without(userIds, unread)
  const memberships = items.filter(item => read.includes(String(memberIdOf(item))))
  const users = new Map(items.map(item => [item.PK, item]))
  const unmarked = memberships.flatMap(item => (isMarked(item, provider) ? [] : String(memberIdOf(item))))
  const done = { unlinked: memberships.length, refusal: unread, others: [] }
  if (unmarked.length === 0) return done
  const actions = [
    { ConditionCheck: { Key: providerKey(id), ...whileRemoving(provider) } },
    ...unmarked.flatMap(userId => {
      const key = userKey(userId)
      return [
        mark(membershipKey(id, userId), provider),
        clearLinks(key, users.get(key.PK), provider, table.clock.nowMs()),
      ]
    }),
  ]
  const refusal = await table.transact(actions, signal, { triesMax: 1 })
  if (refusal === undefined) return done
  return { unlinked: 0, refusal, others: refusal.refused.length > 0 ? without(read, refusal) : [] }
}

/** Those whom a refusal does not name. */
function without(userIds: readonly string[], refusal?: Refusal): readonly string[] {
  const named = refusal?.refused.map(key => memberIdOf(key) ?? userIdOf(key)) ?? []
  return userIds.filter(userId => !named.includes(userId))
}

/** The condition that the provider is still in the removal in which it was read. */
export const whileRemoving = ({ removal: { id } }: ProviderRecord) => ({
  ConditionExpression: `#state = :removing AND ${id === undefined ? 'NOT attribute_type(removal_id, :id)' : 'removal_id = :id'}`,
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':removing': 'removing', ':id': id ?? 'S' } as Item,
})

const mark = (Key: Key, { removal }: ProviderRecord): Action => ({
  Update: {
    Key,
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
