import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerKey, providers } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'
import { putNew } from '../table/actions.ts'
import { countMemberships } from '../table/count.ts'

/** What a removal adds to its provider. */
const ofRemoval =
  /^(removal_id|removal_started_at|removed_by|retained_until|removed_at|affected_total|expires_at)$/

/** What only one of the providers that are not removed may have. */
const unique = ['name', 'sso_provider_id']

/**
 * Puts a removed provider under another id, active and without members, unless an earlier run has.
 *
 * @param removed its item
 * @throws Error of one sentence when another provider is in its way
 */
export async function bringBack(
  { table, transact }: Data,
  removed: Item,
  id: number,
  signal: AbortSignal,
): Promise<SamlProvider> {
  const kept = Object.entries(removed).filter(([name]) => !ofRemoval.test(name))
  const own = { ...providerKey(id), id, state: 'active', member_count: 0 }
  const item: Item = { ...Object.fromEntries(kept), ...own }
  const stored = await table.query(providers, one => one, signal)
  const rival = stored.find(
    other =>
      other.SK !== own.SK &&
      other.state !== 'removed' &&
      unique.some(name => item[name] !== undefined && item[name] === other[name]),
  )
  if (rival) throw new Error(`${rival.SK} has the same name or sso_provider_id, which only one may have.`)
  const there = stored.find(({ SK }) => SK === own.SK)
  const isBack = there?.state === 'active' && unique.every(name => item[name] === there[name])
  if (!isBack) {
    const isUsed = there !== undefined || (await countMemberships(table, id, signal)) > 0
    if (isUsed || !(await transact([putNew(item)], signal)))
      throw new Error(`The id ${id} is that of another provider, or was: choose one that was never used.`)
  }
  return (providerRecordOf(item) as ProviderRecord).resource
}
