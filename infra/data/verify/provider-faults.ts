import { isPastRetention } from '../../../lib/domain/provider.ts'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { isUnlinked, listedTotal } from '../../../lib/removal/members.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf } from '../../../lib/store/keys.ts'
import { countMembers } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import { type Fault, faultsOf } from './fault.ts'
import { type Memberships, providerRules } from './provider-rules.ts'
import { resourceFaults } from './resource-rules.ts'

/**
 * Finds faults of providers.
 *
 * @param all the providers of the table
 * @param seen the memberships of a provider that were read
 * @param only the id of the only provider that matters
 */
export async function providerFaults(
  data: Data,
  all: readonly Item[],
  seen: (providerId: number) => Memberships,
  signal: AbortSignal,
  only: number | undefined,
): Promise<Fault[]> {
  const faults: Fault[] = []
  const namesake = rivals(all, 'name', ['active'])
  const ssoRival = rivals(all, 'sso_provider_id', ['active', 'removing'])
  for (const item of all) {
    const id = providerIdOf(item) as number
    if (only !== undefined && id !== only) continue
    const counted = await recount(data, item, id, seen(id), signal)
    const stored = {
      ...{ item, record: providerRecordOf(item), memberships: undefined, nowMs: data.clock.nowMs() },
      rivals: { name: namesake(item), sso_provider_id: ssoRival(item) },
      ...counted,
    }
    faults.push(...resourceFaults(samlProviderShape, item, id), ...faultsOf(providerRules, stored))
  }
  return faults
}

/**
 * Counts the memberships of a provider again whose number is wrong in what was read. @returns the provider with their number
 * when it is still wrong; nothing else
 */
async function recount(data: Data, item: Item, id: number, seen: Memberships, signal: AbortSignal) {
  const isRight = (one: Item | undefined, { all, marked }: Memberships): boolean => {
    const record = one && providerRecordOf(one)
    if (record?.state === 'active') return one?.member_count === all
    const { removal } = record ?? {}
    // After the retention TTL deletes them one by one.
    if (record?.state !== 'removed' || removal === undefined || isPastRetention(removal, data.clock.nowMs()))
      return true
    const listed = listedTotal(record) ?? 0
    // Those without a mark may be exactly those that the list lacks: then they get it.
    return marked >= listed || all === listed
  }
  if (isRight(item, seen)) return {}
  const { item: counted, members, isSettled } = await countMembers(data, id, signal)
  const removal = counted && providerRecordOf(counted)?.removal
  const marked = members.filter(member => removal && isUnlinked(member, removal)).length
  const memberships = { all: members.length, marked }
  // A count that changed while the members were read is ignored.
  return !isSettled || isRight(counted, memberships) ? {} : { item: counted as Item, memberships }
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
