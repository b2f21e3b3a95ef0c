import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerKey, providers } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'
import { ifUnchanged, putNew } from '../table/actions.ts'
import { countMemberships } from '../table/count.ts'

/** What a removal adds to its provider. */
const ofRemoval =
  /^(removal_id|removal_started_at|removed_by|retained_until|removed_at|affected_total|expires_at)$/

/** What only one of the providers that are not removed may have. */
const unique = ['name', 'sso_provider_id']

/**
 * Puts a removed provider under another id, active and without members, unless an earlier run has. The removed one notes the
 * id: it comes back once.
 *
 * @param removed its item
 * @throws Error of one sentence when it came back under another id, or when another provider is in its way
 */
export async function bringBack(
  { table, tryWrite }: Data,
  removed: Item,
  id: number,
  signal: AbortSignal,
): Promise<SamlProvider> {
  const kept = Object.entries(removed).filter(([name]) => !ofRemoval.test(name))
  const active = { ...providerKey(id), id, state: 'active', member_count: 0 }
  const item: Item = { ...Object.fromEntries(kept), ...active }
  const { resource } = providerRecordOf(item) as ProviderRecord
  if (removed.restored_as === id) return resource
  if (removed.restored_as !== undefined)
    throw new Error(`It was brought back as provider ${removed.restored_as}.`)
  const stored = await table.query(providers, one => one, signal)
  const rival = stored.find(
    other =>
      other.state !== 'removed' &&
      unique.some(name => item[name] !== undefined && item[name] === other[name]),
  )
  if (rival) throw new Error(`${rival.SK} has the same name or sso_provider_id, which only one may have.`)
  if (stored.some(({ SK }) => SK === active.SK) || (await countMemberships(table, id, signal)) > 0)
    throw new Error(`The id ${id} is that of another provider, or was: choose one that was never used.`)
  const note = {
    ...ifUnchanged(removed, ['removal_id', 'restored_as'], { ':id': id }),
    UpdateExpression: 'SET restored_as = :id',
  }
  if (!(await tryWrite([{ Update: note }, putNew(item)], signal)))
    throw new Error('Another program has just changed one of the two providers: run it again.')
  return resource
}
