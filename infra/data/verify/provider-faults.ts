import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf } from '../../../lib/store/keys.ts'
import type { ShowPhase } from '../display.ts'
import { countMembers } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import { type Fault, faultsOf } from './fault.ts'
import { providerRules, type StoredProvider } from './provider-rules.ts'
import { resourceFaults } from './resource-rules.ts'

/**
 * Finds faults of providers.
 *
 * @param items the providers to look at
 * @param all the providers of the table
 * @param membershipsOf the number of memberships of a provider that were read
 */
export async function providerFaults(
  data: Data,
  items: readonly Item[],
  all: readonly Item[],
  membershipsOf: (providerId: number) => number,
  phase: ShowPhase,
  signal: AbortSignal,
): Promise<Fault[]> {
  const active = all.filter(({ state }) => state === 'active')
  const used = all.filter(({ state }) => state === 'active' || state === 'removing')
  const rivals = { name: rivalIn(active, 'name'), sso_provider_id: rivalIn(used, 'sso_provider_id') }
  const miscounted = items.filter(
    item => item.state === 'active' && item.member_count !== membershipsOf(idOf(item)),
  )
  const counted = new Map<number, Pick<StoredProvider, 'item' | 'members'>>()
  await phase('providers counted', miscounted.length, async advance => {
    for (const id of miscounted.map(idOf)) {
      const { item, length, isSettled } = await countMembers(data, id, signal)
      // A count that changed while the members were read is ignored.
      if (isSettled && item?.state === 'active' && item.member_count !== length)
        counted.set(id, { item, members: length })
      advance(1)
    }
  })
  return items.flatMap(item => [
    ...resourceFaults(samlProviderShape, item, idOf(item)),
    ...faultsOf(providerRules, {
      item,
      members: undefined,
      ...counted.get(idOf(item)),
      record: providerRecordOf(item),
      rivals: { name: rivals.name(item), sso_provider_id: rivals.sso_provider_id(item) },
      nowMs: data.clock.nowMs(),
    }),
  ])
}

const idOf = (item: Item) => providerIdOf(item) as number

/** Returns a function that finds the first provider with the same value as a given one that is not the first. */
function rivalIn(items: readonly Item[], name: string) {
  const byValue = Map.groupBy(items, item => item[name])
  return (item: Item): string | undefined => {
    const [first, ...others] = byValue.get(item[name] ?? undefined) ?? []
    return (item[name] ?? null) !== null && others.includes(item) ? String(first?.SK) : undefined
  }
}
