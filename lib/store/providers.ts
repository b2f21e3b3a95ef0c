import { isListed, type ProviderRecord } from '../domain/provider.ts'
import type { SamlProvider } from '../domain/resources.ts'
import { providerRecordOf } from './items.ts'
import { providerKey, providers } from './keys.ts'
import type { Table } from './table.ts'

/** The active providers, by id ascending. */
export async function listProviders(table: Table, signal: AbortSignal): Promise<SamlProvider[]> {
  return (await allProviders(table, signal)).filter(isListed).map(record => record.resource)
}

/** All providers in any state, by id ascending. */
export const allProviders = (table: Table, signal: AbortSignal): Promise<ProviderRecord[]> =>
  table.query(providers, providerRecordOf, signal)

/** The provider in any state; one without a valid state is reported to `onBroken`. */
export async function findProvider(
  table: Table,
  id: number,
  signal: AbortSignal,
): Promise<ProviderRecord | undefined> {
  const item = await table.get(providerKey(id), signal)
  if (item === undefined) return undefined
  const record = providerRecordOf(item)
  if (record === undefined) table.onBroken({ partition: providers.PK, items: 1 })
  return record
}
