import { describe, expect, test } from 'vitest'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import type { Item } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { userId } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { openToFaults, outside, type Plan, under } from './faults.ts'
import steps from './version-1.0.0.json' with { type: 'json' }

const keyOf = ({ PK, SK }: Item) => `${PK} ${SK}`

/**
 * The table after each write of a removal by version 1.0.0, in order; the file has what each write changed. Its code
 * (commit 9e20d59) removed provider 7 at the moment at which the tests' clock starts, one call at a time, and was
 * ended by a thrown error after each write, and after the first half of its BatchWriteItem.
 */
const tables = steps.map(({ step }, last) => {
  const written = steps.slice(0, last + 1).flatMap(({ written }): Item[] => written)
  return { step, items: [...new Map(written.map(item => [keyOf(item), item])).values()] }
})
const [untouched, finished] = [tables.at(0), tables.at(-1)] as [(typeof tables)[0], (typeof tables)[0]]
const never = new AbortController().signal

describe('a removal that version 1.0.0 has left when', () => {
  const anHourMs = 3_600_000
  const anHourLater = '2026-01-31T01:00:00.000Z'

  /** The table in the end: what 1.0.0 had not written has the moment at which it was. */
  const expected = (left: Item[]) =>
    finished.items.map(item => {
      const isWritten =
        JSON.stringify(item) === JSON.stringify(left.find(other => keyOf(other) === keyOf(item)))
      const written = ['removed_at', 'updated_at'].filter(name => !isWritten && name in item)
      return { ...item, ...Object.fromEntries(written.map(name => [name, anHourLater])) }
    })

  test.each(
    tables.slice(1).flatMap(left => [
      { ...left, by: 'a DELETE' },
      { ...left, by: 'the schedule' },
    ]),
  )('$step is finished by $by', async ({ items, by }) => {
    const w = await world()
    await w.put(...items)
    w.clock.advance(anHourMs)
    if (by === 'the schedule') {
      await w.clock.moving(w.deps.finishRemovals({ log: w.deps.log, signal: never }))
      expect(await w.items()).toEqual(expected(items))
    }
    const answer = await w.remove(7)
    const { affected_user } = answer.json().data
    expect([answer.status, affected_user.map(({ id }: Item) => id)]).toEqual([200, [1, 2, 3].map(userId)])
    expect(await w.items()).toEqual(expected(items))
  })
})

test('each table that a removal leaves half-way is one that version 1.0.0 leaves, and so finishes', async () => {
  const w = await world()
  await w.put(...untouched.items)
  openToFaults(w.client)
  const left: Item[][] = []
  let before: Promise<unknown> = Promise.resolve()
  const oneAtATime: Plan = ({ send }) => {
    const call = before.then(() => send())
    before = call.catch(() => {}).then(async () => left.push(await outside(w.items)))
    return before.then(() => call)
  }
  const store = removalStore(openTable(w.client, w.tableName, w.clock))
  const tools = { store, clock: w.clock, newId: () => 'removal-1', retentionMs: w.config.retentionMs }
  const found = (await store.find(7, never)) ?? expect.unreachable()
  await under(oneAtATime, () =>
    w.clock.moving(removeProvider(tools, found, { requestedBy: 'admin', log: () => {}, signal: never })),
  )

  for (const items of left) expect(tables.map(table => table.items)).toContainEqual(items)
  expect(left.at(-1)).toEqual(finished.items)
})
