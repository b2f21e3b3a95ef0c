import { userShape } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { members, providerIdOf, providerKey, userKey } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import { delay } from '../../../lib/time.ts'
import { storedProviders } from '../table/linked-providers.ts'
import type { Data } from '../open-data.ts'
import { inBatches } from '../progress.ts'
import { scanTable } from '../table/scan.ts'
import { hasUserIdInUpperCase, isLikeOurs, kindOf, kindOfKey } from '../table/table-item.ts'
import { type Fault, faultsOf, type Rule } from './fault.ts'
import { isOfImport, membershipRules } from './membership-rules.ts'
import { type Pair, pairReader, pairsPerRead } from './pair.ts'
import { pairing } from './pairing.ts'
import { providerFaults } from './provider-faults.ts'
import { absentProviderRule, providerRules } from './provider-rules.ts'
import { expiringUserRule, resourceFaults, resourceRules } from './resource-rules.ts'

export interface Findings {
  counts: { providers: number; users: number; memberships: number }
  /** The number of items of other programs, by the kind of their keys. */
  others: ReadonlyMap<string, number>
  /** In the order of their repairs. */
  faults: Fault[]
}

const foreignRule: Rule<{ item: Item }> = {
  wrong: 'key that begins like one of the service, which does not write it',
  why: 'the item may belong to another program',
  problem: ({ item }) =>
    hasUserIdInUpperCase(item)
      ? 'its user id is not in lower case: the service does not find the user as a caller'
      : 'the service does not write items with such a key, which begins like one of its own',
}

/**
 * All rules of the table, as the README lists them.
 *
 * @internal
 */
export const rules: readonly Rule<never>[] = [
  foreignRule,
  ...resourceRules,
  expiringUserRule,
  ...providerRules,
  absentProviderRule,
  ...membershipRules,
]

const usersPerRead = 100
const settlingMs = 1000

/**
 * Finds everything in the table that breaks its rules.
 *
 * A scan is not a snapshot: users and memberships that do not match in it are read again twice, and are a fault only when
 * they never match.
 *
 * @param only the id of a provider: only it, its memberships and their users are read
 * @throws Error of one sentence when nothing is stored about it
 */
export async function findFaults(
  data: Data,
  signal: AbortSignal,
  only: number | undefined,
): Promise<Findings> {
  const counts = { providers: 0, users: 0, memberships: 0 }
  const others = new Map<string, number>()
  const faults: Fault[] = []
  const seen = pairing(await allProviders(data.table, signal), data.clock.nowMs(), only)
  const take = (item: Item) => {
    const about = kindOf(item)
    seen.look(item, about)
    if (about.kind === 'foreign' && isLikeOurs(item)) faults.push(...faultsOf([foreignRule], { item }))
    else if (about.kind === 'foreign') others.set(kindOfKey(item), (others.get(kindOfKey(item)) ?? 0) + 1)
    else counts[`${about.kind}s`] += 1
    if (about.kind === 'user') faults.push(...userFaults(item, about.userId))
  }
  if (only === undefined) await scanTable(data, items => items.forEach(take), signal)
  else await readMembers(data, only, take, signal)

  const stored = await storedProviders(data.table, signal)
  const ids = new Set(stored.map(providerIdOf))
  counts.providers = only === undefined ? stored.length : Number(ids.has(only))
  if (only !== undefined && counts.providers + counts.memberships === 0)
    throw new Error(`There is no provider ${only} in ${data.tableName}, and no membership of it.`)
  faults.push(...(await providerFaults(data, stored, seen.membershipsOf, signal, only)))

  for (const { broken, isOfImport, providerId } of await doubtfulPairs(data, seen, stored, signal)) {
    faults.push(...broken)
    if (isOfImport) seen.usersOfAbsent.add(providerId)
  }
  for (const [providerId, users] of seen.usersOfAbsent.all())
    if (!ids.has(providerId))
      faults.push(...faultsOf([absentProviderRule], { item: providerKey(providerId), providerId, users }))
  const isLast = ({ rule }: Fault) => Number(rule.isLast === true)
  return { counts, others, faults: faults.toSorted((one, other) => isLast(one) - isLast(other)) }
}

const userFaults = (item: Item, userId: string) => [
  ...resourceFaults(userShape, item, userId),
  ...faultsOf([expiringUserRule], { item }),
]

/** Reads the memberships of a provider and their users. */
async function readMembers(data: Data, id: number, take: (item: Item) => void, signal: AbortSignal) {
  const found = await data.phase('memberships', () => data.table.query(members(id), item => item, signal))
  found.forEach(take)
  const keys = found.map(kindOf).flatMap(about => (about.kind === 'membership' ? userKey(about.userId) : []))
  await inBatches(data.phase, 'users', keys, usersPerRead, async some =>
    (await data.table.batchGet(some, signal)).forEach(take),
  )
}

/** The pairs that are doubtful now and a moment later: another writer's transaction may be read in part. */
async function doubtfulPairs(
  data: Data,
  { suspects, unmarkedOf }: ReturnType<typeof pairing>,
  stored: readonly Item[],
  signal: AbortSignal,
) {
  const records = stored.flatMap(item => providerRecordOf(item) ?? [])
  const read = pairReader(data, records, unmarkedOf)
  const look = async (pairs: readonly Pair[]) => {
    const doubtful: (Pair & { broken: Fault[]; isOfImport: boolean })[] = []
    await inBatches(data.phase, 'items read again', pairs, pairsPerRead, async some => {
      for (const pair of await read(some, signal)) {
        const { providerId, userId } = pair
        const broken = faultsOf(membershipRules, pair)
        if (broken.length > 0 || isOfImport(pair))
          doubtful.push({ providerId, userId, broken, isOfImport: isOfImport(pair) })
      }
    })
    return doubtful
  }
  const first = await look(suspects())
  if (first.length === 0) return []
  await delay(data.clock, settlingMs, signal)
  return look(first)
}
