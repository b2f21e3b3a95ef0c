import { Failure } from '../domain/failure.ts'
import { asRemoving, type Removal, type Transition, transitions } from '../domain/provider.ts'
import type { RemovalStore } from '../removal/ports.ts'
import { membershipItem, type Item, memberOf, providerRecordOf } from './items.ts'
import { members, providerKey } from './keys.ts'
import { allProviders, findProvider } from './providers.ts'
import { type Assignment, noPosition, positionText, removalItem, replacement } from './removal-attributes.ts'
import type { Change, Table } from './table.ts'
import { isTooLarge } from './statements.ts'
import { unlinker } from './unlink.ts'
import { findUsers } from './users.ts'

/** The reads and writes of `lib/removal` on the table. */
export const removalStore = (table: Table): RemovalStore => ({
  async begin(providerId, removal, requestedBy, signal) {
    const own = { removed_by: requestedBy, removal_room: room, removal_position: noPosition }
    const attributes = { ...removalItem(removal), ...own }
    // What is stored of these belongs to an older removal; TTL would delete the tombstone by `expires_at`.
    const change = changeOf(transitions.begin, {
      attributes,
      removed: ['removed_at', 'expires_at', 'affected_total'],
    })
    try {
      return removingOf(await table.update(providerKey(providerId), change, signal), removal)
    } catch (error) {
      throw isTooLarge((error as Error).message)
        ? new Error(`provider ${providerId} ${noRoom}`, { cause: error })
        : error
    }
  },

  async mend(providerId, removal, signal) {
    const key = providerKey(providerId)
    const item = await table.get(key, signal)
    if (item === undefined || removingOf(item, removal)) return removingOf(item, removal)
    const change = changeOf(transitions.proceed, replacement(item, removal))
    return removingOf(await table.update(key, change, signal), removal)
  },

  find: (providerId, signal) => findProvider(table, providerId, signal),

  removing: async signal => (await allProviders(table, signal)).filter(({ state }) => state === 'removing'),

  members: (providerId, signal, after) => table.pages(members(providerId), memberOf, signal, after),

  unlinker: provider => unlinker(table, provider),

  markUnlinked: (providerId, userIds, retainedUntil, signal) =>
    table.batchPut(
      userIds.map(userId => membershipItem(providerId, userId, retainedUntil)),
      signal,
    ),

  async advance(providerId, position, signal) {
    const attributes = { removal_position: positionText(position) }
    // A removal that an older version began has no room for it.
    const conditions = ['attribute_exists(removal_position)']
    const change = changeOf(transitions.proceed, { attributes, conditions })
    await table.update(providerKey(providerId), change, signal)
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
      removed: ['removal_room', 'removal_position'],
      // When another attempt has replaced it, the marks with the old one count no more.
      conditions: ['retained_until = :expires_at'],
    })
    if (await table.update(key, change, signal)) return true
    const now = await table.get(key, signal)
    if (now !== undefined && now.state !== transitions.finish.to) throw new Failure('removal_unfinished')
    // This call may have succeeded before: its reply was lost and it was repeated.
    return now?.removed_at === attributes.removed_at
  },

  users: (userIds, signal) => findUsers(table, userIds, signal),
})

const noRoom = 'has no room for its removal: DynamoDB allows an item 400 KB'

/** At least the bytes of the attributes that the end of a removal adds: an item of 400 KB cannot become larger. */
const room = '-'.repeat(64)

/** @param removal one that begins now */
const removingOf = (item: Item | undefined, { startedAtMs }: Removal) =>
  asRemoving(item && providerRecordOf(item), startedAtMs)

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
