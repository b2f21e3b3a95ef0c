import { randomUUID } from 'node:crypto'
import { finishRemoval } from '../../../lib/removal/remove-provider.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import type { Data } from '../open-data.ts'
import type { Repair } from './fault.ts'

/** The retention of a removal with a malformed end: the service's default. */
const retentionMs = 7 * 86_400_000

/** @returns false when another writer has changed the items since; then nothing was changed */
export async function repair(data: Data, { by }: Repair, signal: AbortSignal): Promise<boolean> {
  if ('actions' in by) return data.transact(by.actions, signal)
  const { table, clock } = data
  const found = await findProvider(table, by.finishRemovalOf, signal)
  if (found?.state !== 'removing') return false
  const tools = { store: removalStore(table), clock, newId: randomUUID, retentionMs }
  await finishRemoval(tools, found, { log: () => {}, signal })
  return true
}
