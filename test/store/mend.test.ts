import { expect, test } from 'vitest'
import { type Item, providerItem } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable, type Table } from '../../lib/store/table.ts'
import { sampleProvider } from '../support/samples.ts'
import { boundaryValues } from '../support/boundary-values.ts'
import { world } from '../support/world.ts'

const never = new AbortController().signal
const sound = { id: 'sound', startedAtMs: 0, retainedUntil: 7 }
const stored = { removal_id: 'r', removal_started_at: '2026-01-30T00:00:00.000Z', retained_until: 5 }

/** Repairs a removal whose `retained_until` another writer changes after each read. */
async function mendDuringChange(read: unknown, then: unknown) {
  const w = await world()
  const put = (retained_until: unknown) =>
    w.put({ ...providerItem(sampleProvider(7), 0), ...stored, state: 'removing', retained_until })
  const table = openTable(w.client, w.tableName, w.clock)
  const changing: Table = {
    ...table,
    async get(...parameters) {
      const item = await table.get(...parameters)
      await put(then)
      return item
    },
  }
  await put(read)
  const mended = await removalStore(changing).mend(7, sound, never)
  return { mended, retained_until: ((await w.items())[0] as Item).retained_until }
}

test.each([...boundaryValues, ['nothing', undefined] as const])(
  'a malformed value is not replaced when another writer has replaced it: %s',
  async (_, value) => {
    expect(await mendDuringChange(value, 6)).toEqual({ mended: undefined, retained_until: 6 })
  },
)

test.each([
  [0, -1],
  [-1, 0],
  [1.5, 2.5],
])('a number that has changed since it was read is not replaced: %d, then %d', async (read, then) => {
  expect(await mendDuringChange(read, then)).toEqual({ mended: undefined, retained_until: then })
})

test.each(['active', 'removed'])('nothing is replaced of a provider that has become %s', async state => {
  const w = await world()
  await w.put({ ...providerItem(sampleProvider(7), 0), state })
  const before = await w.items()
  expect(await removalStore(openTable(w.client, w.tableName, w.clock)).mend(7, sound, never)).toBeUndefined()
  expect(await w.items()).toEqual(before)
})
