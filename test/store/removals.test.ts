import { marshall } from '@aws-sdk/util-dynamodb'
import { expect, test } from 'vitest'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/items.ts'
import type { Item } from '../../lib/store/items.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { outputOf, type Plan, replyOf, withPlan } from '../support/test-client.ts'
import { type World, world } from '../support/world.ts'

const never = new AbortController().signal

/** The store of a world. */
const storeOf = (w: World) => removalStore(openTable(w.client, w.tableName, w.clock))

test('a second call of begin or finish changes nothing', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7))
  const { begin, find, finish } = storeOf(w)
  const removal = (id: string) => ({
    id,
    startedAtMs: w.clock.nowMs(),
    retainedUntil: w.clock.nowMs() / 1000 + 60,
  })
  const stored = async () => (await w.items())[0]

  expect((await begin(7, removal('one'), 'first', never))?.removal.id).toBe('one')
  const begun = await stored()
  w.clock.advance(1000)
  expect(await begin(7, removal('other'), 'second', never)).toBeUndefined()
  expect(await stored()).toEqual(begun)

  const own = (await find(7, never)) ?? expect.unreachable()
  expect(await finish(own, 0, w.clock.nowMs(), never)).toMatchObject({ state: 'removed' })
  const finished = await stored()
  expect(await finish(own, 0, w.clock.nowMs(), never)).toBeUndefined()
  expect(await finish(own, 1, w.clock.nowMs(), never)).toBeUndefined()
  expect(await stored()).toEqual(finished)
  expect(await begin(7, removal('late'), 'third', never)).toBeUndefined()
})

test.each<[string, Item, Item?]>([
  ['another id', { removal_id: 'newer' }],
  ['an id where there was none', { removal_id: 'newer' }, { removal_id: undefined }],
  ['no id any more', { removal_id: 5 }],
])('a removal with %s is neither continued nor finished by an older call', async (_, now, before = {}) => {
  const w = await world()
  await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
  const { begin, find, finish, unlink } = storeOf(w)
  await begin(7, { id: 'one', startedAtMs: w.clock.nowMs(), retainedUntil: 2e9 }, 'me', never)
  await w.put({ ...(await w.provider()), ...before })
  const found = (await find(7, never)) ?? expect.unreachable()
  await w.put({ ...(await w.provider()), ...now })
  const stored = await w.items()
  expect(await Array.fromAsync(unlink(found, [userId(1)], w.clock, never))).toEqual([undefined])
  expect(await finish(found, 1, w.clock.nowMs(), never)).toBeUndefined()
  expect(await w.items()).toEqual(stored)
  const again = (await find(7, never)) ?? expect.unreachable()
  expect(await Array.fromAsync(unlink(again, [userId(1)], w.clock, never))).toEqual([1])
  expect(await finish(again, 1, w.clock.nowMs(), never)).toMatchObject({ state: 'removed' })
})

test('a removal that begins leaves nothing of an older one', async () => {
  const w = await world()
  const old = { removed_at: '2026-01-01T00:00:00.000Z', expires_at: 1_700_000_000, affected_total: 3 }
  await w.put({ ...providerItem(sampleProvider(7), 0), ...old })
  await storeOf(w).begin(7, { id: 'r', startedAtMs: w.clock.nowMs(), retainedUntil: 2e9 }, 'me', never)
  const [item] = (await w.items()) as [Item]
  expect(item.state).toBe('removing')
  expect(Object.keys(item).filter(name => name in old)).toEqual([])
})

test.each(['absent', 'active', 'removed'])('no removal of a provider that is %s goes on', async state => {
  const w = await world()
  if (state !== 'absent') await w.put({ ...providerItem(sampleProvider(7), 0), state, removal_id: 'r' })
  await w.put(userItem(sampleUser(1, { saml: 7 })), membershipItem(7, userId(1)))
  const before = await w.items()
  const { begin, finish, unlink } = storeOf(w)
  const removal = { id: 'r', startedAtMs: 0, retainedUntil: 1 }
  const found = { resource: sampleProvider(7), memberCount: 0, removal, removedAtMs: 0 }
  const provider = { ...found, state: 'removing' as const }
  expect(await Array.fromAsync(unlink(provider, [userId(1)], w.clock, never))).toEqual([undefined])
  expect(await finish(provider, 0, 0, never)).toBeUndefined()
  if (state !== 'active') expect(await begin(7, removal, 'me', never)).toBeUndefined()
  expect(await w.items()).toEqual(before)
})

test('of a removed provider, members are shown as they are stored, though a Query shows them late', async () => {
  const w = await world()
  await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 }), sampleUser(2, { saml: 7 })])
  const gone = membershipItem(7, userId(3))
  const late: Plan = async ({ operation, send }) => {
    const reply = await send()
    if (operation !== 'Query') return reply
    const Items = [...outputOf(reply).Items, marshall(gone)].map(({ expires_at: _, ...item }) => item)
    return replyOf({ Items, Count: Items.length })
  }
  await w.remove(7)
  const { find, members } = storeOf(w)
  const provider = (await find(7, never)) ?? expect.unreachable()
  const shown = await withPlan(late, () => Array.fromAsync(members(provider, never)))
  expect(shown.flat()).toEqual([1, 2].map(n => ({ userId: userId(n), isUnlinked: true })))
})
