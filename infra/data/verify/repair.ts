import { randomUUID } from 'node:crypto'
import { Failure } from '../../../lib/domain/failure.ts'
import { finishRemoval } from '../../../lib/removal/remove-provider.ts'
import type { Item } from '../../../lib/store/items.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import { removalStore } from '../../../lib/store/removals.ts'
import type { Action } from '../table/transact.ts'
import type { Data } from '../open-data.ts'
import { placeOf } from '../table/conditions.ts'
import type { Repair } from './fault.ts'

/** The retention of a removal with a malformed end: the service's default. */
const retentionMs = 7 * 86_400_000

/** @returns undefined when it is repaired; else why nothing was changed */
export async function repair(data: Data, by: Repair, signal: AbortSignal): Promise<string | undefined> {
  if (Array.isArray(by)) return await transact(data, by, signal)
  const { table, clock } = data
  const found = await findProvider(table, by.finishRemovalOf, signal)
  if (found?.state !== 'removing') return `provider ${by.finishRemovalOf} is no longer in removal`
  const tools = { store: removalStore(table), clock, newId: randomUUID, retentionMs }
  try {
    await finishRemoval(tools, found, { log: () => {}, signal })
  } catch (error) {
    const isChanged = error instanceof Failure && /^(removal_unfinished|provider_not_found)$/.test(error.code)
    if (!isChanged) throw error
    return `another client has changed the removal of provider ${by.finishRemovalOf}: run verify --repair again`
  }
  return undefined
}

async function transact(data: Data, actions: Action[], signal: AbortSignal): Promise<string | undefined> {
  const refusal = await data.transact(actions, signal)
  if (refusal === undefined || refusal.invalid !== undefined) return refusal?.invalid
  const writes: { Key?: Item | undefined; Item?: Item | undefined }[] = actions.flatMap(action =>
    Object.values(action),
  )
  const places = writes.map(({ Key, Item }) => placeOf({ ...Key, ...Item }))
  return `an item has changed since it was read (${places.join(', ')}): run verify --repair again`
}
