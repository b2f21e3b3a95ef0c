import type { ProviderRecord } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'
import { type Item, providerRecordOf } from '../../../lib/store/items.ts'
import { providerIdOf, providers } from '../../../lib/store/keys.ts'
import type { Table } from '../../../lib/store/table.ts'

/**
 * Reads the providers of the table.
 *
 * @returns `known`: in any state, by id ascending; `stateless`: those whose state cannot be read, who may be in use
 */
export async function knownProviders(
  table: Table,
  signal: AbortSignal,
): Promise<{ known: ProviderRecord[]; stateless: SamlProvider[] }> {
  const read = (item: Item) => (providerIdOf(item) === undefined ? undefined : item)
  const items = await table.query(providers, read, signal)
  const known: ProviderRecord[] = []
  const stateless: SamlProvider[] = []
  for (const item of items) {
    const record = providerRecordOf(item)
    if (record !== undefined) known.push(record)
    else stateless.push((providerRecordOf({ ...item, state: 'active' }) as ProviderRecord).resource)
  }
  return { known, stateless }
}
