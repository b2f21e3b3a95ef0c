import { chunk, forEachConcurrently } from '../concurrency.ts'
import type { ProviderRecord, ProviderState } from '../domain/provider.ts'
import type { Member, RemovalStore } from '../removal/ports.ts'
import { isMarked, type Item, providerRecordOf } from './items.ts'
import { memberIdOf, membershipKey, membershipsOf, providerKey } from './keys.ts'
import { allProviders, findProvider } from './providers.ts'
import type { Change, Table } from './table.ts'
import { unlinker } from './unlink.ts'
import { whileRemoving } from './unlink-actions.ts'
import { findUsers } from './users.ts'

const keysPerRead = 100
const readsAtOnce = 4

const whileActive = {
  ConditionExpression: '#state = :active',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':active': 'active' },
}

/** The reads and writes of `lib/removal` on the table. */
export const removalStore = (table: Table): RemovalStore => ({
  find: (providerId, signal) => findProvider(table, providerId, signal),

  removing: async signal => (await allProviders(table, signal)).filter(({ state }) => state === 'removing'),

  async *members(provider, signal) {
    const read = (item: Item) => memberOf(item, provider)
    for await (const page of table.pages(membershipsOf(provider.resource.id), read, signal))
      yield provider.state === 'removed' ? await reread(table, provider, page, signal) : page
  },

  users: (userIds, signal) => findUsers(table, userIds, signal),

  async begin(providerId, { id, startedAtMs, retainedUntil }, requestedBy, signal) {
    const set = {
      removal_id: id,
      removal_started_at: new Date(startedAtMs).toISOString(),
      removed_by: requestedBy,
      retained_until: retainedUntil,
    }
    // What is stored of these belongs to an older removal; TTL would delete the tombstone by `expires_at`.
    const change = changeOf(whileActive, 'removing', set, ' REMOVE removed_at, expires_at, affected_total')
    const begun = await table.update(providerKey(providerId), change, signal)
    return begun && providerRecordOf(begun)
  },

  unlinker: provider => unlinker(table, provider),

  async finish(provider, listedTotal, atMs, signal) {
    const { retainedUntil } = provider.removal
    const set = {
      removed_at: new Date(atMs).toISOString(),
      retained_until: retainedUntil,
      expires_at: retainedUntil,
      affected_total: listedTotal,
    }
    const change = changeOf(whileRemoving(provider), 'removed', set)
    const finished = await table.update(providerKey(provider.resource.id), change, signal)
    return finished && providerRecordOf(finished)
  },
})

/** Undefined when the item is not a membership. */
function memberOf(item: Item, provider: ProviderRecord): Member | undefined {
  const userId = memberIdOf(item)
  return userId === undefined ? undefined : { userId, isUnlinked: isMarked(item, provider) }
}

/** Reads the members without a mark again, by their keys: a Query may show late who was marked, or has gone. */
async function reread(table: Table, provider: ProviderRecord, page: Member[], signal: AbortSignal) {
  const stored = new Map<string, Member>()
  const unmarked = page.filter(({ isUnlinked }) => !isUnlinked)
  await forEachConcurrently(chunk(unmarked, keysPerRead), readsAtOnce, async some => {
    const keys = some.map(({ userId }) => membershipKey(provider.resource.id, userId))
    for (const item of await table.batchGet(keys, signal)) {
      const member = memberOf(item, provider)
      if (member) stored.set(member.userId, member)
    }
  })
  return page
    .map(member => (member.isUnlinked ? member : stored.get(member.userId)))
    .filter(member => member !== undefined)
}

/** A change of the provider's state, with attributes, as one conditional update. */
function changeOf(condition: Change, after: ProviderState, attributes: Item, remove = ''): Change {
  const names = Object.keys(attributes)
  const values = names.map(name => [`:${name}`, attributes[name]])
  return {
    ...condition,
    UpdateExpression: `SET ${['#state = :after', ...names.map(name => `${name} = :${name}`)].join(', ')}${remove}`,
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ':after': after,
      ...Object.fromEntries(values),
    },
  }
}
