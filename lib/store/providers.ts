import { isListed, type ProviderRecord } from '../domain/provider.ts'
import type { SamlProvider } from '../domain/resources.ts'
import { providerRecordOf } from './items.ts'
import { providerKey, providersPartition } from './keys.ts'
import type { Table } from './table.ts'

/** The providers that may be shown, by id ascending. */
export async function listProviders(table: Table, signal: AbortSignal): Promise<SamlProvider[]> {
  const items = await table.query(providersPartition, signal)
  return items.flatMap(item => {
    const record = providerRecordOf(item)
    return record !== undefined && isListed(record) ? [record.resource] : []
  })
}

/** The provider in whatever state it is. */
export async function findProvider(
  table: Table,
  id: number,
  signal: AbortSignal,
): Promise<ProviderRecord | undefined> {
  const item = await table.get(providerKey(id), signal)
  return item && providerRecordOf(item)
}
