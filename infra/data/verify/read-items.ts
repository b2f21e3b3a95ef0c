import { chunk, forEachConcurrently } from '../../../lib/concurrency.ts'
import type { Item } from '../../../lib/store/items.ts'
import { members, userKey } from '../../../lib/store/keys.ts'
import type { ShowPhase } from '../display.ts'
import type { Data } from '../open-data.ts'
import { scanTable, segments } from '../scan.ts'
import { kindOf } from '../table-item.ts'

const usersPerRead = 100
const readsAtOnce = 4

/** Reads the whole table, in any order. @param take gets each page */
export const readTable = (
  data: Data,
  take: (items: Item[]) => void,
  phase: ShowPhase,
  signal: AbortSignal,
): Promise<void> =>
  phase('items', segments, advance =>
    scanTable(
      data,
      (items, isLast) => {
        take(items)
        if (isLast) advance(1)
      },
      signal,
    ),
  )

/** Reads the memberships of a provider, then their users, in any order. */
export async function readMembers(
  { table }: Data,
  providerId: number,
  take: (items: Item[]) => void,
  phase: ShowPhase,
  signal: AbortSignal,
): Promise<void> {
  const items = await phase('memberships', undefined, () =>
    table.query(members(providerId), item => item, signal),
  )
  take(items)
  const keys = items.map(kindOf).flatMap(about => (about.kind === 'membership' ? userKey(about.userId) : []))
  await phase('users', keys.length, advance =>
    forEachConcurrently(chunk(keys, usersPerRead), readsAtOnce, async batch => {
      take(await table.batchGet(batch, signal))
      advance(batch.length)
    }),
  )
}
