import { moves, type ProviderState } from '../domain/provider.ts'
import type { RemovalStore } from '../removal/ports.ts'
import { edgeItem, memberOf, providerRecordOf } from './items.ts'
import { members, providerKey } from './keys.ts'
import { findProvider } from './providers.ts'
import type { Change, Table } from './table.ts'
import { unlinker } from './unlink.ts'
import { findUsers } from './users.ts'

export const removalStore = (table: Table): RemovalStore => ({
  async begin(providerId, removal, by, signal) {
    const item = await table.update(
      providerKey(providerId),
      move(
        moves.begin,
        [
          'removal_id = if_not_exists(removal_id, :id)',
          'removal_started_at = if_not_exists(removal_started_at, :startedAt)',
          'removed_by = if_not_exists(removed_by, :by)',
          'retained_until = if_not_exists(retained_until, :until)',
        ],
        {
          ':id': removal.id,
          ':startedAt': isoTime(removal.startedAtMs),
          ':by': by,
          ':until': removal.retainedUntil,
        },
      ),
      signal,
    )
    return item && providerRecordOf(item)
  },

  find: (providerId, signal) => findProvider(table, providerId, signal),

  members: (providerId, signal) => table.query(members(providerId), memberOf, signal),

  unlinker: provider => unlinker(table, provider),

  markUnlinked: (providerId, userIds, retainedUntil, signal) =>
    table.batchPut(
      userIds.map(userId => edgeItem(providerId, userId, retainedUntil)),
      signal,
    ),

  async finish(providerId, atMs, signal) {
    const at = isoTime(atMs)
    const item = await table.update(
      providerKey(providerId),
      move(moves.finish, ['removed_at = if_not_exists(removed_at, :at)', 'expires_at = retained_until'], {
        ':at': at,
      }),
      signal,
    )
    return item?.removed_at === at
  },

  users: (userIds, signal) => findUsers(table, userIds, signal),
})

const isoTime = (ms: number) => new Date(ms).toISOString()

/** A legal move as one conditional update: what the states it may start from are is said in the domain alone. */
function move(
  { from, to }: { from: readonly ProviderState[]; to: ProviderState },
  assignments: string[],
  values: Record<string, unknown>,
): Change {
  const states = Object.fromEntries(from.map((state, index) => [`:from${index}`, state]))
  return {
    UpdateExpression: `SET ${['#state = :to', ...assignments].join(', ')}`,
    ConditionExpression: `#state IN (${Object.keys(states).join(', ')})`,
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ...states, ':to': to, ...values },
  }
}
