import { randomUUID } from 'node:crypto'
import type { Item } from '../../../lib/store/items.ts'
import { type Key, providers } from '../../../lib/store/keys.ts'
import type { Action } from '../../../lib/store/transact.ts'
import type { Data } from '../open-data.ts'
import { putNew } from '../table/actions.ts'

/** The marker of a table that an import has begun to fill. It is beside the providers, and no Query for them reads it. */
const key: Key = { PK: providers.PK, SK: 'IMPORT' }

/**
 * The marker: `files`, the digest of an import's files, and `run`, its last run. It has `has_users` from the first provider on,
 * before which all users are there. `isLate`: a run began when another one had filled the table, and has not taken
 * the marker back. It puts nothing, and stops nobody.
 */
export async function findMarker({ table }: Pick<Data, 'table'>, signal: AbortSignal) {
  // Before the marker: an import sets `has_users` in one transaction with its first provider.
  const stored = await table.query(providers, item => item, signal)
  const marker = await table.get(key, signal)
  if (marker === undefined) return undefined
  const { files, run, has_users } = marker
  return { files, run, isLate: stored.length > 0 && has_users === undefined }
}

/**
 * @returns whether there is a marker all the same, of a run that came too late
 * @throws Error of one sentence while an import is unfinished: it would put users again
 */
export async function assertNoImport(data: Pick<Data, 'table'>, signal: AbortSignal): Promise<boolean> {
  const marker = await findMarker(data, signal)
  if (marker && !marker.isLate)
    throw new Error('An import is unfinished: run the import again with the same files first.')
  return marker !== undefined
}

/** @throws Error of one sentence when the marker is of other files */
export function assertOf(digest: string, { files }: Item): void {
  if (files !== digest)
    throw new Error('An import of other files has begun: run it again with those, or fill a new table.')
}

/** A run of an import. Each function throws Error of one sentence once another run has begun, or has ended. */
export type Run = Awaited<ReturnType<typeof beginRun>>

/**
 * Notes in the table that this run fills it. Another run of the same files writes nothing from then on, because each write is
 * in one transaction with a look at the marker.
 *
 * @throws Error of one sentence when other files have begun to fill the table
 */
export async function beginRun({ table, tryWrite }: Data, digest: string, signal: AbortSignal) {
  const run = randomUUID()
  const change = {
    UpdateExpression: 'SET files = :files, run = :run',
    ConditionExpression: 'attribute_not_exists(PK) OR files = :files',
    ExpressionAttributeValues: { ':files': digest, ':run': run },
  }
  const marker = (await table.update(key, change, signal)) ?? {}
  assertOf(digest, marker)
  const ofThisRun = {
    Key: key,
    ConditionExpression: 'run = :run',
    ExpressionAttributeValues: { ':run': run },
  }
  const write = async (...actions: Action[]) => {
    if (await tryWrite(actions, signal)) return
    if ((await findMarker({ table }, signal))?.run !== run)
      throw new Error('Another import of the same files began later: this one stops.')
  }
  return {
    hasUsers: marker.has_users !== undefined,
    /** Puts items of users, whatever is there. @param items at most 99, of 4 MB at most */
    putUsers: (items: readonly Item[]) =>
      write({ ConditionCheck: ofThisRun }, ...items.map(Item => ({ Put: { Item } }))),
    /** Puts a provider once all users are there, unless it is there: it may be in use, or even be removed. */
    putProvider: (Item: Item) =>
      write({ Update: { ...ofThisRun, UpdateExpression: 'SET has_users = :run' } }, putNew(Item)),
    end: () => write({ Delete: ofThisRun }),
  }
}
