import type { Item } from '../../../lib/store/items.ts'
import { type Key, providers } from '../../../lib/store/keys.ts'
import type { Data } from '../open-data.ts'

/** Marks a table that an import has begun to fill. It is beside the providers, and no Query for them reads it. */
const key: Key = { PK: providers.PK, SK: 'IMPORT' }

type Calls = Pick<Data, 'table' | 'transact'>

/** The marker of an import that has not ended: `files`, their digest, and `has_users` once all users are there. */
export const findMarker = ({ table }: Pick<Data, 'table'>, signal: AbortSignal): Promise<Item | undefined> =>
  table.get(key, signal)

/**
 * Marks the table, unless an import of the same files has.
 *
 * @returns the marker
 * @throws Error of one sentence when other files have begun to fill the table
 */
export async function mark({ table }: Calls, digest: string, signal: AbortSignal): Promise<Item> {
  const change = {
    UpdateExpression: 'SET files = :files',
    ConditionExpression: 'attribute_not_exists(PK) OR files = :files',
    ExpressionAttributeValues: { ':files': digest },
  }
  const marker = await table.update(key, change, signal)
  assertOf(digest, marker ?? {})
  return marker as Item
}

/** @throws Error of one sentence when the marker is of other files */
export function assertOf(digest: string, { files }: Item): void {
  if (files !== digest)
    throw new Error('An import of other files has begun: run it again with those, or fill a new table.')
}

/** Notes that all users are there. */
export async function markUsers({ table }: Calls, digest: string, signal: AbortSignal): Promise<void> {
  const change = {
    UpdateExpression: 'SET has_users = :true',
    ConditionExpression: 'files = :files',
    ExpressionAttributeValues: { ':files': digest, ':true': true },
  }
  await table.update(key, change, signal)
}

/** Ends the import. @throws Error of one sentence when another one of the same files has */
export async function unmark({ transact }: Calls, digest: string, signal: AbortSignal): Promise<void> {
  const Delete = {
    Key: key,
    ConditionExpression: 'files = :files',
    ExpressionAttributeValues: { ':files': digest },
  }
  if (!(await transact([{ Delete }], signal)))
    throw new Error('Another import of the same files has ended meanwhile: fill a new table.')
}
