import { describe, expect, test } from 'vitest'
import { removeProvider } from '../../lib/removal/remove-provider.ts'
import type { Item } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { nameOf } from '../support/put-items.ts'
import { userId } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { withoutPlan, type Plan, withPlan } from './faults.ts'
import { writes } from './version-1.0.0.ts'

/** The table after each write. */
const tables = writes.map(([step], last) => {
  const written = writes.slice(0, last + 1).flatMap(([, items]) => items)
  return { step, items: [...new Map(written.map(item => [nameOf(item), item])).values()] }
})
const [untouched, finished] = [tables.at(0), tables.at(-1)] as [(typeof tables)[0], (typeof tables)[0]]
const never = new AbortController().signal

/** The items as today's version finishes them, unless 1.0.0 has. */
const withTotal = (items: Item[], left: Item[]) =>
  items.map(item =>
    item.state !== 'removed' || left.some(({ state }) => state === 'removed')
      ? item
      : { ...item, affected_total: 3 },
  )

describe('a removal that version 1.0.0 has stopped when', () => {
  const anHourMs = 3_600_000
  const anHourLater = '2026-01-31T01:00:00.000Z'

  /** The final table: the items that 1.0.0 had not written have the time of the continuation, which also counts the list. */
  const expected = (left: Item[]) =>
    withTotal(finished.items, left).map(item => {
      const isWritten =
        JSON.stringify(item) === JSON.stringify(left.find(other => nameOf(other) === nameOf(item)))
      const written = ['removed_at', 'updated_at'].filter(name => !isWritten && name in item)
      return { ...item, ...Object.fromEntries(written.map(name => [name, anHourLater])) }
    })

  test.each(
    tables.slice(1).flatMap(left => [
      { ...left, by: 'a DELETE' },
      { ...left, by: 'the scheduled function' },
    ]),
  )('$step is finished by $by', async ({ items, by }) => {
    const w = await world()
    await w.put(...items)
    w.clock.advance(anHourMs)
    if (by === 'the scheduled function') {
      await w.clock.moving(
        w.deps.finishRemovals({ log: w.deps.log, signal: never, endsAtMs: w.clock.nowMs() + 1000 }),
      )
      expect(await w.items()).toEqual(expected(items))
    }
    const answer = await w.remove(7)
    const { affected_user } = answer.json().data
    expect([answer.status, affected_user.map(({ id }: Item) => id)]).toEqual([200, [1, 2, 3].map(userId)])
    expect(await w.items()).toEqual(expected(items))
  })
})

test('each table of an unfinished removal is one of version 1.0.0, which therefore can finish it', async () => {
  const w = await world()
  await w.put(...untouched.items)
  const left: Item[][] = []
  const beganAt = new Date(w.clock.nowMs()).toISOString()
  let before: Promise<unknown> = Promise.resolve()
  const oneAtATime: Plan = ({ send }) => {
    const call = before.then(() => send())
    before = call.catch(() => {}).then(async () => left.push(await withoutPlan(w.items)))
    return before.then(() => call)
  }
  const store = removalStore(openTable(w.client, w.tableName, w.clock))
  const ports = { store, clock: w.clock, newId: () => 'removal-1', retentionMs: w.config.retentionMs }
  const found = (await store.find(7, never)) ?? expect.unreachable()
  await withPlan(oneAtATime, () =>
    w.clock.moving(removeProvider(ports, found, { requestedBy: 'admin', log: () => {}, signal: never })),
  )

  /** Without the half second that 1.0.0 did not wait. */
  const atOnce = (item: Item): Item =>
    JSON.parse(JSON.stringify(item).replaceAll(new Date(w.clock.nowMs()).toISOString(), beganAt))
  /** Without the attributes that 1.0.0 does not know, and leaves as they are. */
  const known = ({ removal_room, removal_position, affected_total, ...item }: Item) => atOnce(item)
  for (const items of left) expect(tables.map(table => table.items)).toContainEqual(items.map(known))
  expect(left.at(-1)?.map(atOnce)).toEqual(withTotal(finished.items, []))
})
