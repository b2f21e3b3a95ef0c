import { userShape } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf, providerKey, providers } from '../../../lib/store/keys.ts'
import { allProviders } from '../../../lib/store/providers.ts'
import type { ShowPhase } from '../display.ts'
import type { Data } from '../open-data.ts'
import { kindOf } from '../table-item.ts'
import { type Fault, faultsOf, type Rule } from './fault.ts'
import { membershipRules } from './membership-rules.ts'
import { doubtfulPairs } from './doubtful-pairs.ts'
import { pairing } from './pairing.ts'
import { providerFaults } from './provider-faults.ts'
import { absentProviderRule, providerRules } from './provider-rules.ts'
import { readMembers, readTable } from './read-items.ts'
import { expiringUserRule, resourceFaults, resourceRules } from './resource-rules.ts'

export interface Findings {
  counts: { providers: number; users: number; memberships: number }
  /** In the order of their repairs. */
  faults: Fault[]
}

const foreignRule: Rule<{ item: Item }> = {
  wrong: 'key that the service does not write',
  why: 'the item may belong to another program',
  problem: () => 'the service does not write items with such a key',
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

/**
 * Finds everything in the table that breaks its rules.
 *
 * A scan is not a snapshot: users and memberships that do not match in it are read again twice, and are a fault only when
 * they never match. Memory holds each item of a pair until the other one is read.
 *
 * @param only the id of a provider: only it, its memberships and their users are read
 * @throws Error of one sentence when nothing is stored about that provider
 */
export async function findFaults(
  data: Data,
  phase: ShowPhase,
  signal: AbortSignal,
  only?: number,
): Promise<Findings> {
  const isMeant = (providerId: number) => only === undefined || providerId === only
  const counts = { providers: 0, users: 0, memberships: 0 }
  const faults: Fault[] = []
  const seen = pairing(await allProviders(data.table, signal), data.clock.nowMs())
  const take = (items: Item[]) => {
    for (const item of items) {
      const about = kindOf(item)
      seen.look(item, about)
      if (about.kind !== 'foreign') counts[`${about.kind}s`] += 1
      else faults.push(...faultsOf([foreignRule], { item }))
      if (about.kind !== 'user') continue
      faults.push(...resourceFaults(userShape, item, about.userId), ...faultsOf([expiringUserRule], { item }))
    }
  }
  if (only === undefined) await readTable(data, take, phase, signal)
  else await readMembers(data, only, take, phase, signal)

  const idOf = (item: Item) => providerIdOf(item) ?? 0
  const all = await data.table.query(providers, item => (idOf(item) > 0 ? item : undefined), signal)
  const items = all.filter(item => isMeant(idOf(item)))
  counts.providers = items.length
  if (only !== undefined && counts.providers + counts.memberships === 0)
    throw new Error(`There is no provider ${only} in ${data.tableName}, and no membership of it.`)
  faults.push(...(await providerFaults(data, items, all, seen.membershipsOf, phase, signal)))

  const suspects = seen.suspects().filter(({ providerId }) => isMeant(providerId))
  const records = all.flatMap(item => providerRecordOf(item) ?? [])
  const doubtful = await doubtfulPairs(data, suspects, records, phase, signal)
  for (const { pair, faults: found, isOfImport } of doubtful) {
    faults.push(...found)
    if (isOfImport) seen.countAbsent(pair.providerId)
  }
  const stored = new Set(all.map(idOf))
  for (const [providerId, users] of seen.absent)
    if (isMeant(providerId) && !stored.has(providerId))
      faults.push(...faultsOf([absentProviderRule], { item: providerKey(providerId), providerId, users }))
  const isLast = ({ repair }: Fault) => repair?.isLast === true
  return { counts, faults: [...faults.filter(fault => !isLast(fault)), ...faults.filter(isLast)] }
}
