import { Failure } from '../domain/failure.ts'
import { asRemoving, type Transition, transitions } from '../domain/provider.ts'
import type { RemovalStore } from '../removal/ports.ts'
import { type Item, memberOf, providerRecordOf } from './items.ts'
import { type Key, memberIdOf, members, membershipKey, providerKey } from './keys.ts'
import { allProviders, findProvider } from './providers.ts'
import { type Assignment, removalItem, replacement } from './removal-attributes.ts'
import type { BatchedUpdate } from './statements.ts'
import type { Change, Table } from './table.ts'
import { unlinker } from './unlink.ts'
import { findUsers } from './users.ts'

/** The reads and writes of `lib/removal` on the table. */
export const removalStore = (table: Table): RemovalStore => ({
  async begin(providerId, removal, requestedBy, signal) {
    const change = changeOf(transitions.begin, {
      attributes: { ...removalItem(removal), removed_by: requestedBy },
      // What is stored of these belongs to an older removal; TTL would delete the tombstone by `expires_at`.
      removed: ['removed_at', 'expires_at', 'affected_total'],
    })
    return removingOf(await table.update(providerKey(providerId), change, signal), removal.startedAtMs)
  },

  async mend(providerId, removal, signal) {
    const key = providerKey(providerId)
    const item = await table.get(key, signal)
    const sound = removingOf(item, removal.startedAtMs)
    if (item === undefined || sound !== undefined) return sound
    const change = changeOf(transitions.proceed, replacement(item, removal))
    return removingOf(await table.update(key, change, signal), removal.startedAtMs)
  },

  find: (providerId, signal) => findProvider(table, providerId, signal),

  removing: async signal => (await allProviders(table, signal)).filter(({ state }) => state === 'removing'),

  members: (providerId, signal) => table.pages(members(providerId), memberOf, signal),

  unlinker: provider => unlinker(table, provider),

  mark: async (providerId, userIds, retainedUntil, signal) => {
    const updates = userIds.map(userId => markOf(membershipKey(providerId, userId), retainedUntil))
    const refused = await table.updateMemberships(updates, signal)
    return refused.flatMap(key => memberIdOf(key) ?? [])
  },

  async finish(providerId, { retainedUntil }, affectedTotal, atMs, signal) {
    const key = providerKey(providerId)
    const attributes = {
      removed_at: new Date(atMs).toISOString(),
      expires_at: retainedUntil,
      affected_total: affectedTotal,
    }
    const change = changeOf(transitions.finish, {
      attributes,
      // When another attempt has replaced it, the marks with the old one count no more.
      conditions: ['retained_until = :expires_at'],
    })
    if (await table.update(key, change, signal)) return true
    const now = await table.get(key, signal)
    if (now !== undefined && now.state !== transitions.finish.to) throw new Failure('removal_unfinished')
    // This call may have succeeded before: its reply was lost and it was repeated.
    return now?.removed_at === attributes.removed_at && now.affected_total === affectedTotal
  },

  users: (userIds, signal) => findUsers(table, userIds, signal),
})

/** The mark of a membership; an UPDATE creates no item. `NOT`: a value that is no number is not later, and is replaced. */
const markOf = (key: Key, retainedUntil: number): BatchedUpdate => ({
  key,
  change: 'SET expires_at = ?',
  changeValues: [retainedUntil],
  condition: '(expires_at IS MISSING OR NOT expires_at > ?)',
  conditionValues: [retainedUntil],
})

const removingOf = (item: Item | undefined, nowMs: number) =>
  asRemoving(item && providerRecordOf(item), nowMs)

/** A transition as one conditional update. */
function changeOf(
  { from, to }: Transition,
  { attributes, removed = [], conditions = [], values = {} }: Assignment,
): Change {
  const set = ['#state = :after', ...Object.keys(attributes).map(name => `${name} = :${name}`)]
  const named = Object.entries(attributes).map(([name, value]) => [`:${name}`, value])
  return {
    UpdateExpression: `SET ${set.join(', ')}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''}`,
    ConditionExpression: ['#state = :before', ...conditions].join(' AND '),
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':before': from, ':after': to, ...Object.fromEntries(named), ...values },
  }
}
