import { isLinked, linkValuesOf } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, linksOf } from '../../../lib/store/items.ts'
import { memberIdOf, membershipKey, userIdOf, userKey } from '../../../lib/store/keys.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import type { Action } from '../../../lib/store/transact.ts'
import type { Data } from '../open-data.ts'
import { ifUnchanged, countBy, putNew } from '../table/actions.ts'
import { membershipItem } from '../table/encoding.ts'

/** What became of a user: `changed`, when another program is changing the table, or has broken its rules. */
export type Outcome = 'linked' | 'erased' | 'linked elsewhere' | 'changed'

/**
 * Links users who have no link to a provider, in one transaction or, when that is refused, each alone.
 *
 * @param ids of at most 49 users
 * @throws Error of one sentence when the provider is not active any more; Failure `table_busy` when one user alone is in conflict
 *   with others, or throttled, at each of its attempts
 */
export async function linkUsers(
  data: Data,
  provider: SamlProvider,
  ids: string[],
  signal: AbortSignal,
): Promise<[userId: string, Outcome][]> {
  const { table, clock } = data
  const keys = ids.flatMap(id => [userKey(id), membershipKey(provider.id, id)])
  const stored = await table.batchGet(keys, signal)
  const members = new Set(stored.map(memberIdOf))
  const users = new Map(stored.filter(({ SK }) => SK === 'USER').map(user => [userIdOf(user), user]))
  const free = [...users.values()].filter(isFree)
  const write = () => table.transact(linking(provider, free, clock.nowMs()), signal)
  const refusal = free.length === 0 ? undefined : await write()
  if (refusal !== undefined) {
    const now = await findProvider(table, provider.id, signal)
    if (now?.state !== 'active') throw new Error(`Provider ${provider.id} is not active any more.`)
    if (ids.length > 1) return linkEach(data, provider, ids, signal)
    if (!refusal.refused.some(({ code }) => code === 'ConditionalCheckFailed')) throw refusal.error
    return ids.map(id => [id, 'changed'])
  }
  return ids.map(id => [id, outcomeOf(provider, users.get(id), members.has(id))])
}

/** What became of a user who was read before those without a link were linked. */
function outcomeOf(provider: SamlProvider, user: Item | undefined, isMember: boolean): Outcome {
  if (user === undefined) return 'erased'
  if (isFree(user)) return 'linked'
  if (!isLinked(linksOf(user), provider)) return 'linked elsewhere'
  return isMember ? 'linked' : 'changed'
}

const linkEach = async (data: Data, provider: SamlProvider, ids: string[], signal: AbortSignal) =>
  (await Array.fromAsync(ids, id => linkUsers(data, provider, [id], signal))).flat()

const isFree = (user: Item) => Object.values(linksOf(user)).every(({ valid }) => !valid)

/** Links users by all that leads to the provider, because it is not stored which links a removal has cleared. */
function linking(provider: SamlProvider, users: readonly Item[], nowMs: number): Action[] {
  const links = linkValuesOf(provider)
  const values = links.map(([name, value]) => [`:${name}`, value] as const)
  const set = { ':now': new Date(nowMs).toISOString(), ...Object.fromEntries(values) }
  const UpdateExpression = `SET updated_at = :now, ${links.map(([name]) => `${name} = :${name}`).join(', ')}`
  const ofUsers = users.flatMap((user): Action[] => [
    putNew(membershipItem(provider.id, userIdOf(user))),
    { Update: { ...ifUnchanged(user, Object.keys(linksOf(user)), set), UpdateExpression } },
  ])
  return [countBy(provider.id, users.length), ...ofUsers]
}
