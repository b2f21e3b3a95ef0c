import { describe, expect, test } from 'vitest'
import { settledMembers } from '../../lib/removal/members.ts'
import type { RemovalPorts } from '../../lib/removal/ports.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { sampleProvider, userId } from '../support/samples.ts'

const members = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ userId: userId(n), unlinked: false }))

const retentionSeconds = 7 * 86_400

/** Lists the members of a provider with member_count 2, by reads that find `found` members and take `tookMs`. */
async function settle(reads: { found: number; tookMs?: number }[], begunAgoMs = 0) {
  const clock = fakeClock()
  let readCount = 0
  const store = {
    members: async () => {
      const { found, tookMs = 0 } = reads[Math.min(readCount++, reads.length - 1)] ?? { found: 0 }
      clock.advance(tookMs)
      return members(found)
    },
  }
  const ports = { store, clock } as unknown as RemovalPorts
  const retainedUntil = (clock.nowMs() - begunAgoMs) / 1000 + retentionSeconds
  const removal = { id: 'removal', startedAtMs: clock.nowMs() - begunAgoMs, retainedUntil }
  const provider = { resource: sampleProvider(7), state: 'removing' as const, memberCount: 2, removal }
  const logged: string[] = []
  const context = {
    requestedBy: 'test',
    log: (event: string) => void logged.push(event),
    signal: new AbortController().signal,
  }
  const settled = await clock.moving(settledMembers(ports, provider, context))
  return {
    listed: settled.length,
    reads: readCount,
    drift: logged.includes('membership_drift'),
    scheduled: clock.scheduled(),
  }
}

describe('the members are read', () => {
  test('once when their number equals the count', async () => {
    expect(await settle([{ found: 2 }])).toEqual({ listed: 2, reads: 1, drift: false, scheduled: 0 })
  })

  test.each([
    ['a member becomes visible late', [{ found: 1 }, { found: 2 }]],
    ['a former member is still visible', [{ found: 3 }, { found: 2 }]],
    ['a member becomes visible during a long read', [{ found: 1, tookMs: 5000 }, { found: 2 }]],
  ])('again when %s', async (_, reads) => {
    expect(await settle(reads)).toEqual({ listed: 2, reads: 2, drift: false, scheduled: 0 })
  })

  test('again also when the tombstone took long', async () => {
    expect(await settle([{ found: 1 }, { found: 2 }], 20_000)).toMatchObject({ listed: 2, drift: false })
  })

  test.each([0, 1, 3])('only for a short time when the count stays wrong: %i', async found => {
    const { listed, reads, drift } = await settle([{ found }])
    expect([listed, drift]).toEqual([found, true])
    expect(reads).toBeGreaterThan(2)
    expect(reads).toBeLessThan(20)
  })

  test('without logging drift after the retention, when TTL may have deleted memberships', async () => {
    expect(await settle([{ found: 1 }], retentionSeconds * 1000)).toMatchObject({ listed: 1, drift: false })
  })

  test('once when the removal is old, so that a short budget is enough for a wrong count', async () => {
    expect(await settle([{ found: 1 }], 60_000)).toMatchObject({ listed: 1, reads: 1, drift: true })
  })
})
