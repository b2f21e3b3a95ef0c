import { asRemoving, type Transition, transitions } from '../domain/provider.ts'
import type { RemovalStore } from '../removal/ports.ts'
import { membershipItem, type Item, memberOf, providerRecordOf } from './items.ts'
import { members, providerKey } from './keys.ts'
import { findProvider, listRemovingProviders } from './providers.ts'
import { type Assignment, removalItem, replacement } from './removal-attributes.ts'
import type { Change, Table } from './table.ts'
import { unlinker } from './unlink.ts'
import { findUsers } from './users.ts'

/** The reads and writes of `lib/removal` on the table. */
export const removalStore = (table: Table): RemovalStore => ({
  async begin(providerId, removal, requestedBy, signal) {
    const attributes = { ...removalItem(removal), removed_by: requestedBy }
    // A stored `removed_at` or `expires_at` belongs to an older removal; TTL would delete the tombstone by the latter.
    const change = changeOf(transitions.begin, { attributes })
    change.UpdateExpression += ' REMOVE removed_at, expires_at'
    return removingOf(await table.update(providerKey(providerId), change, signal))
  },

  async mend(providerId, removal, signal) {
    const key = providerKey(providerId)
    const item = await table.get(key, signal)
    if (item === undefined || removingOf(item)) return removingOf(item)
    return removingOf(await table.update(key, changeOf(transitions.mend, replacement(item, removal)), signal))
  },

  find: (providerId, signal) => findProvider(table, providerId, signal),

  removing: signal => listRemovingProviders(table, signal),

  members: (providerId, signal) => table.query(members(providerId), memberOf, signal),

  unlinker: provider => unlinker(table, provider),

  markUnlinked: (providerId, userIds, retainedUntil, signal) =>
    table.batchPut(
      userIds.map(userId => membershipItem(providerId, userId, retainedUntil)),
      signal,
    ),

  async finish(providerId, { retainedUntil }, atMs, signal) {
    const key = providerKey(providerId)
    const attributes = { removed_at: new Date(atMs).toISOString(), expires_at: retainedUntil }
    if (await table.update(key, changeOf(transitions.finish, { attributes }), signal)) return true
    // This call may have succeeded before: its reply was lost and it was repeated.
    return (await table.get(key, signal))?.removed_at === attributes.removed_at
  },

  users: (userIds, signal) => findUsers(table, userIds, signal),
})

const removingOf = (item: Item | undefined) => asRemoving(item && providerRecordOf(item))

/** A transition as one conditional update. */
function changeOf(
  { from, to }: Transition,
  { attributes, conditions = [], values = {} }: Assignment,
): Required<Change> {
  const named = Object.entries(attributes).map(([name, value]) => [`:${name}`, value])
  return {
    UpdateExpression: `SET ${['#state = :after', ...Object.keys(attributes).map(name => `${name} = :${name}`)].join(', ')}`,
    ConditionExpression: ['#state = :before', ...conditions].join(' AND '),
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':before': from, ':after': to, ...Object.fromEntries(named), ...values },
  }
}
