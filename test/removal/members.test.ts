import { describe, expect, test } from 'vitest'
import { settledMembers } from '../../lib/removal/members.ts'
import type { RemovalPorts } from '../../lib/removal/ports.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { sampleProvider, userId } from '../support/samples.ts'

const members = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ userId: userId(n), unlinked: false }))

const retentionSeconds = 7 * 86_400

/** Lists the members of a provider that counts two, by readings that show so many and take so long. */
async function settle(readings: { shows: number; tookMs?: number }[], begunAgoMs = 0) {
  const clock = fakeClock()
  let reads = 0
  const store = {
    members: async () => {
      const { shows, tookMs = 0 } = readings[Math.min(reads++, readings.length - 1)] ?? { shows: 0 }
      clock.advance(tookMs)
      return members(shows)
    },
  }
  const tools = { store, clock } as unknown as RemovalPorts
  const retainedUntil = (clock.nowMs() - begunAgoMs) / 1000 + retentionSeconds
  const removal = { id: 'removal', startedAtMs: clock.nowMs() - begunAgoMs, retainedUntil }
  const found = { resource: sampleProvider(7), state: 'removing' as const, memberCount: 2, removal }
  const logged: string[] = []
  const asker = {
    requestedBy: 'test',
    log: (event: string) => void logged.push(event),
    signal: new AbortController().signal,
  }
  const settled = await clock.moving(settledMembers(tools, found, asker))
  return {
    listed: settled.length,
    reads,
    drift: logged.includes('membership_drift'),
    scheduled: clock.scheduled(),
  }
}

describe('the members are read', () => {
  test('once when they are as many as the count says', async () => {
    expect(await settle([{ shows: 2 }])).toEqual({ listed: 2, reads: 1, drift: false, scheduled: 0 })
  })

  test.each([
    ['one shows up late', [{ shows: 1 }, { shows: 2 }]],
    ['one who has left shows still', [{ shows: 3 }, { shows: 2 }]],
    ['one shows up while a long reading goes on', [{ shows: 1, tookMs: 5000 }, { shows: 2 }]],
  ])('again when %s', async (_, readings) => {
    expect(await settle(readings)).toEqual({ listed: 2, reads: 2, drift: false, scheduled: 0 })
  })

  test('again also when the tombstone took its time', async () => {
    expect(await settle([{ shows: 1 }, { shows: 2 }], 20_000)).toMatchObject({ listed: 2, drift: false })
  })

  test.each([0, 1, 3])('for a moment only when the count stays wrong: %i', async shows => {
    const { listed, reads, drift } = await settle([{ shows }])
    expect([listed, drift]).toEqual([shows, true])
    expect(reads).toBeGreaterThan(2)
    expect(reads).toBeLessThan(20)
  })

  test('and a removal older than its retention blames nobody for the edges that are gone', async () => {
    expect(await settle([{ shows: 1 }], retentionSeconds * 1000)).toMatchObject({ listed: 1, drift: false })
  })

  test('once when the removal is old, so that the shortest budget gets beyond a wrong count', async () => {
    expect(await settle([{ shows: 1 }], 60_000)).toMatchObject({ listed: 1, reads: 1, drift: true })
  })
})
