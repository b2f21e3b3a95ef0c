import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { roundOfMembers } from '../../lib/removal/members.ts'
import type { Member, RemovalPorts } from '../../lib/removal/ports.ts'
import { unlinkMembers } from '../../lib/removal/unlink-members.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { sampleProvider, userId } from '../support/samples.ts'

const retentionSeconds = 7 * 86_400
const never = new AbortController().signal
const ids = (count: number) => Array.from({ length: count }, (_, n) => userId(n))

interface Read {
  found: number
  pageSize?: number
  hasEmptyPages?: boolean
}

/** A removal of a provider with member_count 2, and a store whose reads find `found` members. */
function removing(reads: Read[], begunAgoMs = 0) {
  const clock = fakeClock()
  const retainedUntil = (clock.nowMs() - begunAgoMs) / 1000 + retentionSeconds
  const removal = { id: 'removal', startedAtMs: clock.nowMs() - begunAgoMs, retainedUntil }
  const begun = { resource: sampleProvider(7), state: 'removing' as const, memberCount: 2, removal }
  const calls = { reads: 0 }
  const store = {
    async *members(_id: number, _signal: AbortSignal, after = '') {
      const read = reads[Math.min(calls.reads++, reads.length - 1)] ?? { found: 0 }
      const { found, pageSize = 100, hasEmptyPages = false } = read
      const left = ids(found).filter(id => id > after)
      do {
        // All its items break the rules of the table.
        if (hasEmptyPages) yield { items: [], isLast: false }
        const page = left.splice(0, pageSize)
        const items = page.map((id): Member => ({ userId: id, expiresAt: retainedUntil }))
        yield { items, isLast: left.length === 0 }
      } while (left.length > 0)
    },
    find: async () => begun,
    unlinker: () => expect.unreachable(),
  }
  return { clock, begun, calls, ports: { store, clock } as unknown as RemovalPorts }
}

/** Reads the marked members of a removal. */
async function settle(reads: Read[], begunAgoMs = 0) {
  const { clock, begun, calls, ports } = removing(reads, begunAgoMs)
  ports.store.unlinker = () => async () => {}
  const logged: string[] = []
  const run = { log: (event: string) => void logged.push(event), signal: never }
  const startMs = clock.nowMs()
  const all = await clock.moving(unlinkMembers(ports, begun, run, { affectedTotal: 0 }))
  return {
    waitedMs: clock.nowMs() - startMs,
    listed: all?.total,
    reads: calls.reads,
    drift: logged.includes('membership_drift'),
    scheduled: clock.scheduled(),
  }
}

describe('the members are read', () => {
  test.each([
    ['the tombstone was just written', 0, 500],
    ['writing the tombstone took long', 20_000, 500],
    ['the removal is old, so that a short budget suffices', 300_000, 0],
  ])('once when %s, %i ms ago, after %i ms', async (_, begunAgoMs, waitedMs) => {
    for (const pageSize of [100, 1])
      expect(await settle([{ found: 2, pageSize }], begunAgoMs)).toEqual({
        ...{ listed: 2, reads: 1, waitedMs },
        ...{ drift: false, scheduled: 0 },
      })
  })

  test.each([0, 1, 3])('once when the count is wrong, which is logged: %i', async found => {
    expect(await settle([{ found }])).toMatchObject({ listed: found, reads: 1, drift: true })
  })

  test('without logging drift after the retention, when TTL may have deleted memberships', async () => {
    expect(await settle([{ found: 1 }], retentionSeconds * 1000)).toMatchObject({ listed: 1, drift: false })
  })

  test('once each, from any position, in pages of any size', async () => {
    const size = fc.integer({ min: 1, max: 5 })
    await fc.assert(
      fc.asyncProperty(
        fc.nat(8),
        size,
        fc.nat(9),
        fc.boolean(),
        async (found, pageSize, at, hasEmptyPages) => {
          const { begun, ports } = removing([{ found, pageSize, hasEmptyPages }], 300_000)
          const position = { userId: userId(at), unlinked: at }
          const pages = await Array.fromAsync(roundOfMembers(ports, { ...begun, position }, never))
          const read = pages.flatMap(({ items }) => items.map(member => member.userId))
          const all = ids(found)
          expect(read).toEqual([...all.slice(at + 1), ...all.slice(0, at + 1)])
        },
      ),
    )
  })
})
