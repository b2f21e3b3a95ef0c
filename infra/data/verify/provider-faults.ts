import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf } from '../../../lib/store/keys.ts'
import { countMembers } from '../member-count.ts'
import { type Fault, faultsOf } from './fault.ts'
import { providerRules } from './provider-rules.ts'
import { resourceFaults } from './resource-rules.ts'
import type { Scope } from './scope.ts'

/**
 * Finds faults of providers.
 *
 * @param all the providers of the table
 * @param membershipsOf the number of memberships of a provider that were read
 */
export async function providerFaults(
  { data, phase, signal, only }: Scope,
  all: readonly Item[],
  membershipsOf: (providerId: number) => number,
): Promise<Fault[]> {
  const faults: Fault[] = []
  const namesake = rivals(all, 'name', ['active'])
  const ssoRival = rivals(all, 'sso_provider_id', ['active', 'removing'])
  await phase('providers', all.length, async advance => {
    for (const item of all) {
      advance(1)
      const id = providerIdOf(item) as number
      if (only !== undefined && id !== only) continue
      const isMiscounted = item.state === 'active' && item.member_count !== membershipsOf(id)
      const { item: counted, length, isSettled } = isMiscounted ? await countMembers(data, id, signal) : {}
      // A count that changed while the members were read is ignored.
      const isWrong = isSettled && counted?.state === 'active' && counted.member_count !== length
      const stored = {
        ...{ item, record: providerRecordOf(item), members: undefined, nowMs: data.clock.nowMs() },
        rivals: { name: namesake(item), sso_provider_id: ssoRival(item) },
        ...(isWrong && { item: counted, members: length }),
      }
      faults.push(...resourceFaults(samlProviderShape, item, id), ...faultsOf(providerRules, stored))
    }
  })
  return faults
}

/** Returns a function that finds the first provider in these states with the same value, if it is another one. */
function rivals(all: readonly Item[], name: string, states: readonly unknown[]) {
  const isMeant = (item: Item) => states.includes(item.state) && (item[name] ?? null) !== null
  const meant = all.filter(isMeant).toReversed()
  const first = new Map(meant.map(item => [item[name], String(item.SK)]))
  return (item: Item): string | undefined => {
    const found = isMeant(item) ? first.get(item[name]) : undefined
    return found === item.SK ? undefined : found
  }
}
