import { describe, expect, test } from 'vitest'
import { providerItem } from '../../lib/store/items.ts'
import { sampleProvider, userId } from '../support/samples.ts'
import { linked } from './scenario.ts'
import { world } from '../support/world.ts'

/** Removes a provider with three users whose item has this `member_count`. */
async function removedWith(member_count: unknown) {
  const w = await world()
  await w.putProvider(sampleProvider(7), linked(3))
  await w.put({ ...providerItem(sampleProvider(7), 3), member_count })
  const startMs = w.clock.nowMs()
  const answer = await w.remove(7)
  const ids = answer.json().data.affected_user.map(({ id }: { id: string }) => id)
  const drift = w.logged.filter(({ event }) => event === 'membership_drift')
  return { ids, tookMs: w.clock.nowMs() - startMs, drift, again: (await w.remove(7)).text === answer.text }
}
const ids = [0, 1, 2].map(userId)

describe('a removal lists all three users, and logs the drift,', () => {
  test.each<[string, unknown, number]>([
    ['at once when member_count is less', 2, 0],
    ['after four seconds when member_count is more', 4, 4000],
    ['after four seconds when member_count is absent', undefined, 4000],
    ['after four seconds when member_count is malformed', '3', 4000],
  ])('%s', async (_, count, tookMs) => {
    const removed = await removedWith(count)
    expect(removed).toMatchObject({ ids, tookMs, again: true })
    const expected = typeof count === 'number' ? count : undefined
    expect(removed.drift[0]).toMatchObject({ provider_id: 7, expected, found: 3 })
  })
})

test('a removal whose member_count is right logs no drift', async () => {
  expect(await removedWith(3)).toEqual({ ids, tookMs: 0, drift: [], again: true })
})
