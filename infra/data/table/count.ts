import { isListed, type ProviderRecord } from '../../../lib/domain/provider.ts'
import { memberIdOf, members } from '../../../lib/store/keys.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import type { Table } from '../../../lib/store/table.ts'

/** The number of memberships of a provider. */
export async function countMemberships(table: Table, id: number, signal: AbortSignal): Promise<number> {
  let counted = 0
  for await (const page of table.pages(members(id), memberIdOf, signal)) counted += page.length
  return counted
}

/**
 * Whether the count of an active provider, before or after its memberships are counted, is another number. It also is while a
 * writer changes both.
 */
export async function isMiscounted(table: Table, id: number, signal: AbortSignal): Promise<boolean> {
  const before = await findProvider(table, id, signal)
  const counted = await countMemberships(table, id, signal)
  const after = await findProvider(table, id, signal)
  return [before, after].every(isActive) && [before, after].some(one => one?.memberCount !== counted)
}

const isActive = (provider: ProviderRecord | undefined) => provider !== undefined && isListed(provider)
