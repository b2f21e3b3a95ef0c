import { expect, test } from 'vitest'
import type { ProviderRecord, ProviderState } from '../../lib/domain/provider.ts'
import { affectedUsers } from '../../lib/removal/list.ts'
import type { RemovalStore } from '../../lib/removal/ports.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'

const never = new AbortController().signal

/** Reads two pages of a list whose users are shown with their link until so many milliseconds have passed. */
async function read(state: ProviderState, linkedMs: number) {
  const clock = fakeClock()
  const reads: number[] = []
  const store = {
    async users([id = '']: string[]) {
      reads.push(clock.elapsedMs())
      return [{ ...sampleUser(1, clock.elapsedMs() < linkedMs ? { saml: 7 } : {}), id }]
    },
  } as Partial<RemovalStore> as RemovalStore
  const removal = { id: 'r', startedAtMs: 0, retainedUntil: 2e9 }
  const provider: ProviderRecord = { resource: sampleProvider(7), state, memberCount: 2, removal }
  const list = { provider, total: 2, pages: [[userId(1)], [userId(2)]] }
  const users = await clock.moving(Array.fromAsync(affectedUsers({ store, clock }, list, never).pages))
  return {
    reads: reads.length,
    tookMs: clock.elapsedMs(),
    linked: users.flat().map(user => user.saml_provider_id.valid),
  }
}

test.each<[string, ProviderState, number, Awaited<ReturnType<typeof read>>]>([
  ['is shown without it is read once', 'removed', 0, { reads: 2, tookMs: 0, linked: [false, false] }],
  ['a moment later has none is read again', 'removed', 50, { reads: 4, tookMs: 200, linked: [false, false] }],
  [
    'keeps it is shown with it, after four pauses of the whole list',
    'removed',
    1e9,
    { reads: 6, tookMs: 1000, linked: [true, true] },
  ],
  [
    'has one to an active provider is read once',
    'active',
    1e9,
    { reads: 2, tookMs: 0, linked: [true, true] },
  ],
])('a user whose link %s', async (_, state, linkedMs, expected) => {
  expect(await read(state, linkedMs)).toEqual(expected)
})
