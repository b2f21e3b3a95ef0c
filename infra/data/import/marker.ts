import { randomUUID } from 'node:crypto'
import type { Item } from '../../../lib/store/items.ts'
import { type Key, providers } from '../../../lib/store/keys.ts'
import type { Action } from '../../../lib/store/transact.ts'
import { delay } from '../../../lib/time.ts'
import { answerMaxMs, type Data } from '../open-data.ts'
import { withProgress } from '../output.ts'
import { putNew } from '../table/actions.ts'

/** Marks a table that an import has begun to fill. It is beside the providers, and no Query for them reads it. */
const key: Key = { PK: providers.PK, SK: 'IMPORT' }

/** How long a run may rely on a look at the marker, in milliseconds: longer than a call with its retries usually lasts. */
const lookMaxMs = 5000

/** Until a run that was overtaken has sent its last call, and that has ended. */
const takeoverMs = lookMaxMs + answerMaxMs

/**
 * The marker of an import that has not ended: `files`, their digest; `run`, the last of so many `runs`; and `has_users`, from
 * the first provider on, before which all users are there.
 */
export const findMarker = ({ table }: Pick<Data, 'table'>, signal: AbortSignal): Promise<Item | undefined> =>
  table.get(key, signal)

/** @throws Error of one sentence while an import is unfinished: it would put users again */
export async function assertNoImport(data: Pick<Data, 'table'>, signal: AbortSignal): Promise<void> {
  if (await findMarker(data, signal))
    throw new Error('An import is unfinished: run the import again with the same files first.')
}

/** @throws Error of one sentence when the marker is of other files */
export function assertOf(digest: string, { files }: Item): void {
  if (files !== digest)
    throw new Error('An import of other files has begun: run it again with those, or fill a new table.')
}

/** An import that has marked the table. Each function throws Error of one sentence once another one has, or has ended. */
export type Run = Awaited<ReturnType<typeof mark>>

/**
 * Marks the table as that of this run. Another one of the same files stops as soon as it looks, for which this waits.
 *
 * @throws Error of one sentence when other files have begun to fill the table
 */
export async function mark({ table, transact, clock }: Data, digest: string, signal: AbortSignal) {
  const run = randomUUID()
  const change = {
    UpdateExpression: 'SET files = :files, run = :run ADD runs :one',
    ConditionExpression: 'attribute_not_exists(PK) OR files = :files',
    ExpressionAttributeValues: { ':files': digest, ':run': run, ':one': 1 },
  }
  const marker = (await table.update(key, change, signal)) ?? {}
  assertOf(digest, marker)
  const earlier = Number(marker.runs) - 1
  if (earlier > 0)
    await withProgress('earlier runs that have stopped', earlier, () => delay(clock, takeoverMs, signal))
  const ofThisRun = {
    Key: key,
    ConditionExpression: 'run = :run',
    ExpressionAttributeValues: { ':run': run },
  }

  async function look(): Promise<void> {
    const beganMs = clock.nowMs()
    if ((await findMarker({ table }, signal))?.run !== run)
      throw new Error('Another import of the same files began later: this one stops.')
    // A process that slept meanwhile, as in a closed laptop, has an old reply.
    if (clock.nowMs() - beganMs >= lookMaxMs) await look()
  }
  const write = async (...actions: Action[]) => {
    if (!(await transact(actions, signal))) await look()
  }
  return {
    hasUsers: marker.has_users !== undefined,
    look,
    /** Puts a provider once all users are there, unless it is there: it may be in use, or even be removed. */
    putProvider: (Item: Item) =>
      write({ Update: { ...ofThisRun, UpdateExpression: 'SET has_users = :run' } }, putNew(Item)),
    end: () => write({ Delete: ofThisRun }),
  }
}
