import { expect, test } from 'vitest'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import { affectedUsers } from '../../lib/removal/list.ts'
import type { RemovalStore } from '../../lib/removal/ports.ts'
import { delay } from '../../lib/time.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'

const never = new AbortController().signal

/** Reads two pages of a list whose users are shown with their link until so many milliseconds have passed. */
async function read(removedAgoMs: number, linkedMs: number, readMs = 0) {
  const clock = fakeClock()
  let reads = 0
  const store = {
    async users([id = '']: string[]) {
      reads += 1
      const user = sampleUser(1, clock.elapsedMs() < linkedMs ? { saml: 7 } : {})
      if (readMs > 0) await delay(clock, readMs, never)
      return [sampleUser(2), { ...user, id }]
    },
  } as Partial<RemovalStore> as RemovalStore
  const provider: ProviderRecord = {
    resource: sampleProvider(7),
    state: 'removed',
    memberCount: 2,
    removal: { id: 'r', startedAtMs: 0, retainedUntil: 2e9 },
    removedAtMs: clock.nowMs() - removedAgoMs,
  }
  const list = { provider, total: 2, pages: [[userId(1)], [userId(2)]] }
  const users = await clock.moving(Array.fromAsync(affectedUsers({ store, clock }, list, never).pages))
  const isLinked = users.flat().some(user => user.saml_provider_id.valid)
  return { reads, tookMs: clock.elapsedMs(), isLinked }
}

test.each<[string, number, number, Awaited<ReturnType<typeof read>>, number?]>([
  ['is gone is read once', 0, 0, { reads: 2, tookMs: 0, isLinked: false }],
  ['goes a moment later is read until it has gone', 0, 5050, { reads: 54, tookMs: 5200, isLinked: false }],
  ['is there eight seconds after the removal is shown', 0, 1e9, { reads: 82, tookMs: 8000, isLinked: true }],
  ['was made later is shown at once', 308_000, 1e9, { reads: 2, tookMs: 0, isLinked: true }],
  [
    'is there by a clock ahead is read until it has gone',
    300_000,
    7900,
    { reads: 82, tookMs: 8000, isLinked: false },
  ],
  ['goes during a long read is read again', 0, 1, { reads: 4, tookMs: 18_200, isLinked: false }, 9000],
  [
    'is there by a clock behind is shown in the end',
    -60_000,
    1e9,
    { reads: 82, tookMs: 8000, isLinked: true },
  ],
])('a user whose link %s', async (_, removedAgoMs, linkedMs, expected, readMs) => {
  expect(await read(removedAgoMs, linkedMs, readMs)).toEqual(expected)
})
